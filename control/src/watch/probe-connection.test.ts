import { once } from 'node:events'
import { createServer as createHttp, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ProbeConnection, type Seen, type Server } from './probe-connection.ts'

const limits = { timeoutMs: 300, longestBody: 10_000 }
const paths = ['/healthz', '/version', '/metrics', '/readyz']

/** A server that does with a connection what the test says. */
async function raw(onConnection: (socket: Socket, count: number) => void) {
  let count = 0
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    onConnection(socket, ++count)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { connection: connectionTo(port), connections: () => count, server }
}

function connectionTo(port: number, host = '127.0.0.1') {
  const connection = new ProbeConnection({ host, port, isTls: false }, limits)
  onTestFinished(() => connection.close())
  return connection
}

async function http(listener: RequestListener, host = '127.0.0.1') {
  let count = 0
  const server = createHttp(listener)
  server.on('connection', () => count++)
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { connection: connectionTo(port, host), connections: () => count, server }
}

const brief = (seen: readonly Seen[]) =>
  seen.map(one => ('answer' in one ? `${one.answer.status} ${one.answer.body}` : one.failure.code))

const answer = (body: string, more = '') =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`

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
      for (const [, path] of `${bytes}`.matchAll(/^GET (\S+)/gm)) socket.write(answer(path!))
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
  server.closeAllConnections()
  expect(brief(await connection.look(['/healthz']))).toEqual(['200 ok'])
})

test.each<[string, (socket: Socket) => void, string]>([
  ['takes the connection and says nothing', () => undefined, 'timeout'],
  ['resets', socket => socket.resetAndDestroy(), 'connect'],
  ['closes at once', socket => socket.end(), 'connect'],
  ['speaks something else', socket => socket.write('SSH-2.0-OpenSSH\r\n'), 'body'],
  [
    'stops in the middle',
    socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'),
    'timeout',
  ],
  [
    'is cut off in the middle',
    socket => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'),
    'body',
  ],
  ['says too much', socket => socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(20_000)}`), 'body'],
])('one that %s fails as %s', async (_how, behave, code) => {
  const { connection } = await raw(behave as never)
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
