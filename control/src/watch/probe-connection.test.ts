import type { Server as HttpServer, RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { BodyRoom } from './body-room.ts'
import { NoLook } from './failure.ts'
import { ProbeConnection, type Seen, type Server } from './probe-connection.ts'
import { answer, httpServer, pathsIn, rawServer } from './under-test.ts'

const limits = { timeoutMs: 300, longestBody: 10_000 }
const paths = ['/healthz', '/version', '/metrics', '/readyz']

async function raw(onConnection: (socket: Socket, count: number) => void) {
  const server = await rawServer(onConnection)
  return { ...server, connection: connectionTo(server.port) }
}

function connectionTo(port: number, host = '127.0.0.1') {
  const connection = new ProbeConnection({ host, port, isTls: false }, limits)
  onTestFinished(() => connection.close())
  return connection
}

async function http(listener: RequestListener, host?: string) {
  const server = await httpServer(listener, host)
  return { ...server, connection: connectionTo(server.port, host) }
}

const half = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'

/** As fast as it is taken. */
function endless(socket: Socket, first: string, again: string): void {
  const piece = again.repeat(1000)
  const write = () => {
    while (socket.writable && socket.write(piece)) {}
  }
  socket.on('drain', write).write(first)
  write()
}

const brief = (seen: readonly Seen[]) =>
  seen.map(one => ('answer' in one ? `${one.answer.status} ${one.answer.body}` : one.failure.code))

test('a look is answered path by path, and the connection is kept from look to look', async () => {
  const { connection, connections } = await http((request, response) => response.end(request.url))
  const expected = paths.map(path => `200 ${path}`)
  for (let turn = 0; turn < 3; turn++) expect(brief(await connection.look(paths))).toEqual(expected)
  expect(connections()).toBe(1)
})

test('once it has kept a connection open, it is asked everything at once', async () => {
  const chunks: string[] = []
  const { connection } = await raw(socket =>
    socket.on('data', bytes => {
      chunks.push(`${bytes}`)
      for (const path of pathsIn(bytes)) socket.write(answer(path))
    }),
  )
  await connection.look(paths)
  expect(chunks.map(chunk => chunk.split('GET').length - 1)).toEqual([1, 3])
  await connection.look(paths)
  expect(chunks.at(-1)!.split('GET').length - 1).toBe(4)
})

test('a server that closes after each answer is asked anew each time', async () => {
  const { connection, connections } = await raw(socket =>
    socket.once('data', bytes =>
      socket.end(answer(/GET (\S+)/.exec(`${bytes}`)![1]!, 'Connection: close\r\n')),
    ),
  )
  expect(brief(await connection.look(paths))).toEqual(paths.map(path => `200 ${path}`))
  expect(connections()).toBe(4)
})

test('a server that promises to stay and closes after the first of several is asked one by one', async () => {
  const { connection } = await raw((socket, count) =>
    socket.on('data', bytes => {
      const [, path] = /GET (\S+)/.exec(`${bytes}`)!
      socket.write(answer(path!))
      if (`${bytes}`.split('GET').length > 2 || count > 1) socket.end()
    }),
  )
  for (let turn = 0; turn < 2; turn++) {
    expect(brief(await connection.look(paths))).toEqual(paths.map(path => `200 ${path}`))
  }
})

test('a connection that has gone stale between two looks is no failure', async () => {
  const { connection, server } = await http((_request, response) => response.end('ok'))
  await connection.look(['/healthz'])
  ;(server as HttpServer).closeAllConnections()
  expect(brief(await connection.look(['/healthz']))).toEqual(['200 ok'])
})

test.each<[string, string, (socket: Socket) => void]>([
  ['takes the connection and says nothing', 'timeout', () => undefined],
  ['resets', 'connect', socket => socket.resetAndDestroy()],
  ['closes at once', 'connect', socket => socket.end()],
  ['speaks something else', 'body', socket => socket.write('SSH-2.0-OpenSSH\r\n')],
  ['stops in the middle', 'timeout', socket => socket.write(half)],
  ['is cut off in the middle', 'body', socket => socket.end(half)],
  ['says too much', 'body', socket => socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(20_000)}`)],
  ['has an endless head', 'body', socket => endless(socket, 'HTTP/1.1 200 OK\r\n', 'X: yyyyyyyy\r\n')],
  ['has an endless body', 'body', socket => endless(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'yyyyyyyy')],
  ['hints without end', 'body', socket => endless(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
])('one that %s fails as %s', async (_how, code, behave) => {
  const { connection } = await raw(behave)
  const seen = await connection.look(paths)
  expect(brief(seen)).toEqual([code])
  expect(JSON.stringify(seen)).not.toContain('127.0.0.1')
})

test('an answer that drips is ended by the time limit', async () => {
  const { connection } = await raw(socket => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n')
    const drip = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => clearInterval(drip))
  })
  expect(brief(await connection.look(['/healthz']))).toEqual(['timeout'])
})

test('what fails in the middle leaves what was seen before it, and the next look begins anew', async () => {
  let isHung = true
  const { connection } = await http((request, response) => {
    if (request.url !== '/readyz' || !isHung) response.end('ok')
  })
  expect(brief(await connection.look(paths))).toEqual(['200 ok', '200 ok', '200 ok', 'timeout'])
  isHung = false
  expect(brief(await connection.look(paths))).toEqual(Array(4).fill('200 ok'))
})

test('nobody listens, nobody knows the name, IPv6', async () => {
  const { server, connection } = await raw(() => undefined)
  await new Promise(resolve => server.close(resolve))
  expect(brief(await connection.look(paths))).toEqual(['connect'])
  const unknown = Object.assign(new Error('unknown'), { code: 'ENOTFOUND' })
  const named = {
    host: 'hello.internal',
    port: 80,
    isTls: false,
    lookup: (_host, _options, done) => done(unknown, ''),
  } satisfies Server
  const seen = await new ProbeConnection(named, limits).look(paths)
  expect(seen).toEqual([{ failure: { code: 'dns', message: 'Its name cannot be looked up.' } }])
  const six = await http((request, response) => response.end(request.headers.host), '::1')
  expect(brief(await six.connection.look(['/']))[0]).toMatch(/^200 \[::1\]:\d+$/)
})

test('a look as a whole has a time limit, and who was answered in time is not blamed', async () => {
  const { port } = await rawServer(socket =>
    socket.on('data', bytes => {
      for (const path of pathsIn(bytes)) {
        if (path === '/metrics') break
        socket.write(answer(path))
      }
    }),
  )
  const server = { host: '127.0.0.1', port, isTls: false }
  const connection = new ProbeConnection(server, { ...limits, timeoutMs: 60_000, lookMs: 300 })
  onTestFinished(() => connection.close())
  const failure = { code: 'timeout', message: 'Within the time limit it does not answer everything.' }
  expect(await connection.look(['/healthz', '/metrics', '/version'])).toMatchObject([
    { answer: { status: 200 } },
    { failure },
  ])
})

test('what was answered before something that is no HTTP stays', async () => {
  const { connection } = await raw(socket =>
    socket.on('data', bytes => {
      const asked = pathsIn(bytes)
      if (asked.length === 1) socket.write(answer(asked[0]!))
      else socket.write(`${answer(asked[0]!)}rubbish and more`)
    }),
  )
  expect(brief(await connection.look(paths))).toEqual(['200 /healthz', '200 /version', 'body'])
})

test('what nobody asked for is never taken for the next answer', async () => {
  let speak = () => {}
  const { connection, connections } = await raw((socket, count) =>
    socket.on('data', bytes => {
      // With the first connection there is an answer too many in the same piece.
      const unasked = count === 1 ? answer('unasked') : ''
      socket.write(
        pathsIn(bytes)
          .map(path => answer(path))
          .join('') + unasked,
      )
      speak = () => socket.write(answer('unasked'))
    }),
  )
  expect(brief(await connection.look(['/a']))).toEqual(['200 /a'])
  expect(brief(await connection.look(['/b']))).toEqual(['200 /b'])
  speak()
  await until('it is noticed', () => !connection.isOpen)
  expect(brief(await connection.look(['/c']))).toEqual(['200 /c'])
  expect(connections()).toBe(3)
})

test('one that answers the first of several and then is silent is asked one by one from then on', async () => {
  const chunks: number[] = []
  const { connection } = await raw(socket =>
    socket.on('data', bytes => {
      chunks.push(pathsIn(bytes).length)
      socket.write(answer(pathsIn(bytes)[0]!))
    }),
  )
  // Nobody can tell what is the matter with it yet.
  expect(brief(await connection.look(paths))).toEqual(['200 /healthz', '200 /version', 'timeout'])
  for (let turn = 0; turn < 3; turn++)
    expect(brief(await connection.look(paths))).toEqual(paths.map(path => `200 ${path}`))
  expect(chunks).toEqual([1, 3, ...Array(12).fill(1)])
})

test('one that closes when it gets several is found out once, and nothing is missed', async () => {
  const chunks: number[] = []
  const { connection } = await raw(socket =>
    socket.on('data', bytes => {
      chunks.push(pathsIn(bytes).length)
      if (pathsIn(bytes).length > 1) socket.destroy()
      else socket.write(answer(pathsIn(bytes)[0]!))
    }),
  )
  for (let turn = 0; turn < 3; turn++)
    expect(brief(await connection.look(paths))).toEqual(paths.map(path => `200 ${path}`))
  expect(chunks.filter(count => count > 1)).toHaveLength(1)
})

test('one that was seen to take several may be restarted in the middle of a look', async () => {
  let isRestarting = false
  const chunks: number[] = []
  const { connection } = await raw(socket =>
    socket.on('data', bytes => {
      const asked = pathsIn(bytes)
      chunks.push(asked.length)
      if (isRestarting) {
        isRestarting = false
        socket.end(answer(asked[0]!))
      } else for (const path of asked) socket.write(answer(path))
    }),
  )
  for (let turn = 0; turn < 6; turn++) {
    isRestarting = turn % 2 === 1
    expect(brief(await connection.look(paths))).toEqual(paths.map(path => `200 ${path}`))
  }
  // It is asked everything at once all the while.
  expect(chunks).toEqual([1, 3, 4, 3, 4, 4, 3, 4, 4, 3])
})

test('HTTP/1.0 is understood, with and without its own way to keep the connection', async () => {
  const old = (path: string, more = '') => answer(path, more).replace('HTTP/1.1', 'HTTP/1.0')
  const closing = await raw(socket =>
    socket.once('data', bytes => socket.end(`HTTP/1.0 200 OK\r\n\r\n${pathsIn(bytes)[0]}`)),
  )
  const keeping = await raw(socket =>
    socket.on('data', bytes => {
      for (const path of pathsIn(bytes)) socket.write(old(path, 'Connection: keep-alive\r\n'))
    }),
  )
  for (const { connection } of [closing, keeping])
    expect(brief(await connection.look(paths))).toEqual(paths.map(path => `200 ${path}`))
  expect([closing.connections(), keeping.connections()]).toEqual([4, 1])
})

test('a compressed bomb is told as coded and stays as small as it came', async () => {
  const bomb = gzipSync(Buffer.alloc(1_000_000))
  const { connection } = await http((_request, response) => {
    response.setHeader('content-encoding', 'gzip').end(bomb)
  })
  expect(await connection.look(['/'])).toMatchObject([
    { answer: { isCoded: true, body: { length: bomb.length } } },
  ])
})

test('a redirect is told and not followed', async () => {
  const elsewhere = await http((_request, response) => response.end())
  const { connection } = await http((_request, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${elsewhere.port}/` }).end()
  })
  const location = `http://127.0.0.1:${elsewhere.port}/`
  expect(await connection.look(['/'])).toMatchObject([{ answer: { status: 302, location } }])
  expect(elsewhere.connections()).toBe(0)
})

test('a body in single bytes takes no more memory than it has', async () => {
  const { connection } = await raw(socket =>
    socket.once('data', async () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n')
      for (let index = 0; index < 300; index++) await new Promise(resolve => socket.write('x', resolve))
    }),
  )
  expect(brief(await connection.look(['/']))).toEqual([`200 ${'x'.repeat(300)}`])
})

test('a connection that is closed from this side tells nothing of the server', async () => {
  const { connection } = await raw(() => undefined)
  const look = connection.look(paths)
  connection.close()
  await expect(look).rejects.toThrow(NoLook)
})

test.each([
  [{ host: 'a b' }, 'ASCII'],
  [{ host: '127.0.0.1', authority: 'x\r\nX: y' }, 'ASCII'],
])('%j is nothing that can be asked', (server, why) => {
  expect(() => new ProbeConnection({ port: 80, isTls: false, ...server }, limits)).toThrow(why)
})

test('of long answers that are read at once, the longest gives up for the others, and all memory is given back', async () => {
  const room = new BodyRoom(1_050_000)
  const roomy = { timeoutMs: 2000, longestBody: 1_000_000, room }
  const to = (port: number) => {
    const connection = new ProbeConnection({ host: '127.0.0.1', port, isTls: false }, roomy)
    onTestFinished(() => connection.close())
    return connection
  }
  // Almost as much as it may, in pieces, and then nothing more.
  const hogs = await httpServer((_request, response) => void response.write('y'.repeat(990_000)))
  const honest = await httpServer((_request, response) => response.end('y'.repeat(100_000)))
  const hog = to(hogs.port).look(['/metrics'])
  await until('it holds most of the room', () => room.total >= 990_000)
  const [one] = await to(honest.port).look(['/metrics'])
  expect(one).toMatchObject({ answer: { status: 200, body: expect.objectContaining({ length: 100_000 }) } })
  expect(await hog).toEqual([
    { failure: { code: 'body', message: expect.stringContaining('while others are read') } },
  ])
  const [alone] = await to(honest.port).look(['/metrics'])
  expect(alone).toMatchObject({ answer: { status: 200 } })
  expect(room.total).toBe(0)
})

test('what is too long for all others together is too long', async () => {
  const limited = { timeoutMs: 2000, longestBody: 1_000_000, room: new BodyRoom(100_000) }
  const { port } = await httpServer((_request, response) => response.end('y'.repeat(200_000)))
  const connection = new ProbeConnection({ host: '127.0.0.1', port, isTls: false }, limited)
  onTestFinished(() => connection.close())
  expect(brief(await connection.look(['/']))).toEqual(['body'])
  expect(limited.room.total).toBe(0)
})
