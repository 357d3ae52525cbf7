/** Whatever arrives, in whatever pieces, and however the client leaves: the edge answers or closes, and lives on. */
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { type EdgeUnderTest, edgeUnderTest, service, upstream } from './under-test.ts'

let crashes: unknown[]

beforeEach(() => {
  crashes = []
  const note = (error: unknown) => void crashes.push(error)
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, note)
    onTestFinished(() => void process.off(event, note))
  }
})

async function start(): Promise<EdgeUnderTest> {
  const under = await edgeUnderTest()
  under.edge.serve([
    upstream('admin', (request, response) => void request.resume().on('end', () => response.end('admin'))),
  ])
  const echo = await service((request, response) => void request.pipe(response))
  echo.server.on('upgrade', (_request, socket) => {
    socket.on('error', () => {})
    socket.end('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n')
  })
  under.edge.route([{ name: 'hello', target: echo.target }])
  return under
}

async function expectAlive({ ask }: EdgeUnderTest): Promise<void> {
  expect((await ask('admin.example.com')).body).toBe('admin')
  expect((await ask('example.com', '/healthz')).body).toBe('{"ok":true}')
  expect(crashes).toEqual([])
}

/** Pieces of HTTP among bytes of any kind, so that many runs get past the first line. */
const fragment = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.uint8Array({ maxLength: 40 }).map(bytes => Buffer.from(bytes).toString('latin1')),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'GET / HTTP/1.1\r\n',
      'POST /x HTTP/1.1\r\n',
      'CONNECT a:1 HTTP/1.1\r\n',
      'OPTIONS * HTTP/1.1\r\n',
      'GET http://admin.example.com/ HTTP/1.0\r\n',
      'Host: admin.example.com\r\n',
      'Host: example.com\r\n',
      'Host: hello.example.com\r\n',
      'GET http://hello.example.com/ HTTP/1.1\r\n',
      'Host: ',
      'Content-Length: 5\r\n',
      'Content-Length: -1\r\n',
      'Transfer-Encoding: chunked\r\n',
      'Expect: 100-continue\r\n',
      'Expect: tea\r\n',
      'Connection: upgrade\r\nUpgrade: websocket\r\n',
      'X-Forwarded-For: ,,\r\n',
      '5\r\nhello\r\n',
      '0\r\n\r\n',
      '\r\n',
      'hello',
    ),
  },
)

test('any bytes get whole answers by the catalogue or none', async () => {
  const under = await start()
  await fc.assert(
    fc.asyncProperty(fc.array(fragment, { maxLength: 12 }), async pieces => {
      const client = await under.connect(Buffer.from(pieces.join(''), 'latin1'))
      client.socket.end()
      await client.ended()
      client.socket.destroy()
      const received = client.received()
      expect(received === '' || /^HTTP\/1\.1 \d{3} /.test(received)).toBe(true)
      expect(received).not.toMatch(/\.ts:\d|node:internal|\bat [\w.]+ \(/)
      expect(received.match(/^HTTP\/1\.1 5/m)).toBeNull()
    }),
    { numRuns: 150 },
  )
  await expectAlive(under)
})

test('bytes that come one by one mean the same', async () => {
  const under = await start()
  const client = await under.connect()
  client.socket.setNoDelay(true)
  for (const byte of 'GET /healthz HTTP/1.1\r\nHost: example.com\r\n\r\n') {
    client.write(byte)
    await turn()
  }
  expect((await client.reply()).body).toBe('{"ok":true}')
  await expectAlive(under)
})

test('clients that vanish at any point leave nothing behind', async () => {
  const under = await start()
  for (const bytes of [
    'POST / HTTP/1.1\r\nHost: admin.example.com\r\nContent-Length: 5\r\n\r\nhello\u0000noise',
    'POST / HTTP/1.1\r\nHost: hello.example.com\r\nContent-Length: 5\r\n\r\nhello\u0000noise',
    'GET / HTTP/1.1\r\nHost: hello.example.com\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nhello',
  ]) {
    for (let length = 0; length <= bytes.length; length += 3) {
      const client = await under.connect(bytes.slice(0, length))
      if (length % 2 === 0) await turn()
      client.socket.resetAndDestroy()
    }
  }
  await expectAlive(under)
  expect(await under.edge.stop(60_000)).toEqual({ cutOff: 0 })
})

test('clients that vanish while they are refused leave nothing behind', async () => {
  const under = await start()
  for (const bytes of [
    'noise\r\n\r\n',
    'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n',
    `GET /${'x'.repeat(20_000)}`,
  ]) {
    for (let turns = 0; turns < 10; turns++) {
      const client = await under.connect(bytes)
      for (let waited = 0; waited < turns; waited++) await turn()
      client.socket.resetAndDestroy()
    }
  }
  await expectAlive(under)
})

test('a client that leaves in the middle of an answer is no error', async () => {
  const under = await edgeUnderTest()
  under.edge.serve([
    upstream('admin', (_request, response) => {
      response.write('x'.repeat(100_000))
      response.socket?.once('close', () => response.end('the rest'))
    }),
  ])
  const client = await under.connect('GET / HTTP/1.1\r\nHost: admin.example.com\r\n\r\n')
  client.socket.once('data', () => client.socket.resetAndDestroy())
  await client.ended()
  expect((await under.ask('example.com', '/healthz')).status).toBe(200)
  expect(await under.edge.stop(60_000)).toEqual({ cutOff: 0 })
  expect(crashes).toEqual([])
})
