import type { IncomingMessage } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { until } from '@quarterdeck/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { edgeUnderTest, edgeWithProject, problemIn, targetOf, upstream } from './under-test.ts'
import { bodyMiB, mebibyte, pour, standstill } from './under-test-streams.ts'

const ask = (protocol = 'websocket', host = 'hello.example.com') =>
  `GET /live HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive, Upgrade\r\nUpgrade: ${protocol}\r\nSec-WebSocket-Key: x\r\nX-Forwarded-For: 8.8.8.8\r\n\r\n`

/** A project that changes to any protocol, and keeps the connection for the test. */
async function start(change = {}) {
  const under = await edgeWithProject((_request, response) => response.end('plain'), change)
  const upgraded: { request: IncomingMessage; socket: Socket; received(): string }[] = []
  under.hello.server.on('upgrade', (request, duplex, head) => {
    const socket = duplex as Socket
    let text = head.toString('latin1')
    socket.on('data', piece => {
      text += piece.toString('latin1')
    })
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    socket.write(
      `HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: ${request.headers.upgrade}\r\nSec-WebSocket-Accept: y\r\n\r\nfirst`,
    )
    upgraded.push({ request, socket, received: () => text })
  })
  /** A client whose connection has been joined to the project's. */
  async function joined(bytes = ask()) {
    const client = await under.connect(bytes)
    const project = await until('the project has changed', () => upgraded.at(-1))
    await until('the client has heard', () => client.received().includes('first'))
    return { client, project }
  }
  return { ...under, upgraded, joined }
}

test.each(['websocket', 'WebSocket', 'any-other/1.0'])('%s goes through, both ways', async protocol => {
  const { joined } = await start()
  const { client, project } = await joined(`${ask(protocol)}early`)
  expect(client.received()).toMatch(
    new RegExp(
      `^HTTP/1.1 101 Switching\r\nSec-WebSocket-Accept: y\r\nX-Request-Id: \\S+\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\nfirst$`,
    ),
  )
  await until('what came early is there', () => project.received() === 'early')
  client.write(Buffer.from([0, 255, 10]))
  await until('it arrives', () => project.received() === 'early\u0000ÿ\n')
  project.socket.write('pong')
  await until('it arrives', () => client.received().endsWith('pong'))
})

test('the project hears who asks, as with any request', async () => {
  const { joined } = await start()
  const { project } = await joined()
  expect(project.request).toMatchObject({
    url: '/live',
    headers: {
      host: 'hello.example.com',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'x',
      'x-forwarded-for': 'unknown',
    },
  })
})

test('it may come after other requests on the same connection', async () => {
  const { connect, upgraded } = await start()
  const client = await connect('HEAD / HTTP/1.1\r\nHost: hello.example.com\r\n\r\n')
  await until('the first is answered', () => client.received().endsWith('\r\n\r\n'))
  client.write(ask())
  await until('the project has changed', () => upgraded.length === 1)
  await until('the client has heard', () => client.received().endsWith('first'))
})

test('behind a request that is not answered yet it is a request like any other', async () => {
  const { connect, upgraded } = await start()
  const client = await connect(`GET / HTTP/1.1\r\nHost: hello.example.com\r\n\r\n${ask()}`)
  await until('both are answered', () => client.received().match(/plain/g)?.length === 2)
  expect(upgraded).toEqual([])
})

describe('the end', () => {
  test('a client that has said its last still hears the project out', async () => {
    const { joined } = await start()
    const { client, project } = await joined()
    client.socket.end('last')
    await until('the project has all', () => project.received() === 'last' && project.socket.readableEnded)
    project.socket.end('farewell')
    await client.ended()
    expect(client.received()).toMatch(/farewell$/)
    await until('nothing is left open', () => project.socket.closed && client.socket.closed)
  })

  test('a project that has said its last still hears the client out', async () => {
    const { joined } = await start()
    const { client, project } = await joined()
    project.socket.end('farewell')
    await client.ended()
    client.socket.end('last')
    await until('the project has all', () => project.received() === 'last')
    await until('nothing is left open', () => project.socket.closed && client.socket.closed)
  })

  test('a client that vanishes takes the project’s connection along', async () => {
    const { joined } = await start()
    const { client, project } = await joined()
    client.socket.resetAndDestroy()
    await until('it is closed', () => project.socket.destroyed)
  })

  test('a project that vanishes takes the client’s connection along', async () => {
    const { joined } = await start()
    const { client, project } = await joined()
    project.socket.resetAndDestroy()
    await client.ended()
    await until('it is closed', () => client.socket.destroyed)
  })
})

test('who reads slowly stops the other', async () => {
  const { joined } = await start()
  const { client, project } = await joined()
  client.socket.pause()
  const { sent } = pour(project.socket)
  expect(await standstill(sent)).toBeLessThan(bodyMiB / 2)
  client.socket.resume()
  await until('all has come', () => client.socket.bytesRead > bodyMiB * mebibyte.length)
})

describe('what does not become another protocol', () => {
  test('the project’s plain answer is the answer, whole, and the connection ends', async () => {
    const { connect, hello } = await start()
    hello.server.removeAllListeners('upgrade')
    const client = await connect(`${ask()}early`)
    await client.ended()
    expect(client.received()).toMatch(/^HTTP\/1.1 200 OK\r\n.*Connection: close\r\n.*plain/is)
  })

  test('a refused connection is answered as for any request', async () => {
    const { connect, edge, hello } = await start()
    hello.server.close()
    for (const [accept, type] of [
      ['*/*', 'application/problem+json; charset=utf-8'],
      ['text/html', 'text/html; charset=utf-8'],
    ]) {
      const client = await connect(ask().replace('\r\n\r\n', `\r\nAccept: ${accept}\r\n\r\n`))
      const reply = await client.reply()
      expect(reply).toMatchObject({ status: 502, headers: { connection: 'close', 'content-type': type } })
      expect(reply.body).toContain('upstream_refused')
      await client.ended()
    }
    expect(await edge.stop(60_000)).toEqual({ cutOff: 0 })
  })

  test('a project that takes too long is answered for', async () => {
    const { edge, connect } = await edgeUnderTest({ upstreamTimeoutMs: 50 })
    edge.route([{ name: 'hello', target: await targetOf(createServer(socket => void socket.resume())) }])
    expect(problemIn(await (await connect(ask())).reply()).code).toBe('upstream_timeout')
  })

  test('a project that was never deployed, an unknown host and control’s own answer as ever', async () => {
    const { edge, connect } = await edgeUnderTest()
    edge.serve([
      upstream('admin', (_request, response) => response.setHeader('content-length', 5).end('admin')),
    ])
    edge.route([{ name: 'hello', target: null }])
    expect(problemIn(await (await connect(ask())).reply()).code).toBe('upstream_absent')
    const nowhere = await connect(ask('websocket', 'nowhere.example.com'))
    expect(problemIn(await nowhere.reply()).code).toBe('unknown_host')
    expect((await (await connect(ask('websocket', 'admin.example.com'))).reply()).body).toBe('admin')
  })

  test('101 to a request that did not ask for it is no answer', async () => {
    const { edge, connect } = await edgeUnderTest()
    for (const rest of ['Connection: upgrade\r\nUpgrade: websocket\r\n\r\n', '\r\n']) {
      const eager = createServer(socket =>
        socket.once('data', () => socket.write(`HTTP/1.1 101 X\r\n${rest}`)),
      )
      edge.route([{ name: 'hello', target: await targetOf(eager) }])
      const client = await connect('GET / HTTP/1.1\r\nHost: hello.example.com\r\n\r\n')
      expect(problemIn(await client.reply()).code).toBe('upstream_broken')
    }
  })
})

describe('a stop', () => {
  test('waits for what has changed the protocol', async () => {
    const { edge, joined } = await start()
    const { client, project } = await joined()
    edge.beginStop()
    const stopped = edge.stop(60_000)
    client.write('still')
    await until('it still goes through', () => project.received() === 'still')
    project.socket.end('bye')
    client.socket.end()
    expect(await stopped).toEqual({ cutOff: 0 })
    expect(client.received()).toMatch(/bye$/)
  })

  test('cuts it off at the limit, and counts it', async () => {
    const { edge, joined } = await start()
    const { client, project } = await joined()
    expect(await edge.stop(20)).toEqual({ cutOff: 1 })
    await client.ended()
    await until('the project’s side is closed', () => project.socket.destroyed)
  })
})
