/** Two programs in a row must never disagree on where a request ends, or whom it is from. */
import { expect, test } from 'vitest'
import { edgeWithProject, problemIn } from './under-test.ts'

const head = 'Host: hello.example.com\r\n'

/** A project that answers with what came. */
async function start() {
  const seen: string[] = []
  const under = await edgeWithProject(async (request, response) => {
    const body = (await request.setEncoding('latin1').toArray()).join('')
    seen.push(`${request.method} ${request.url} ${body}`)
    response.setHeader('content-length', 2).end('ok')
  })
  return { ...under, seen }
}

test.each([
  ['two lengths', 'Content-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  ['two lengths that are alike', 'Content-Length: 1\r\nContent-Length: 1\r\n\r\na'],
  ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['chunks within chunks', 'Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n'],
  ['chunks twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['chunks in disguise', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
  ['a coding that would be lost', 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
  ['a length with a sign', 'Content-Length: +1\r\n\r\na'],
  ['a folded header', 'Content-Length:\r\n 1\r\n\r\na'],
  ['a space before the colon', 'Content-Length : 1\r\n\r\na'],
  ['a bare carriage return', 'X-A: b\rContent-Length: 1\r\n\r\na'],
])('%s: the project sees nothing', async (_what, rest) => {
  const { connect, seen } = await start()
  const client = await connect(`POST / HTTP/1.1\r\n${head}${rest}`)
  expect(problemIn(await client.reply()).code).toBe('malformed_request')
  expect(seen).toEqual([])
})

test('a body that looks like a request is a body', async () => {
  const { connect, seen } = await start()
  const inner = `GET /inner HTTP/1.1\r\n${head}\r\n`
  const client = await connect(`POST /a HTTP/1.1\r\n${head}Content-Length: ${inner.length}\r\n\r\n${inner}`)
  await client.reply()
  client.write(`GET /b HTTP/1.1\r\n${head}Content-Length: ${inner.length}\r\n\r\n${inner}`)
  await client.reply(2)
  expect(seen).toEqual([`POST /a ${inner}`, `GET /b ${inner}`])
})

test('a length behind more headers than are looked at is not lost: the request is refused', async () => {
  const { connect, seen } = await start()
  const client = await connect(
    `POST / HTTP/1.1\r\n${head}${'a:\r\n'.repeat(2500)}Content-Length: 4\r\n\r\nbody`,
  )
  expect((await client.reply()).status).toBe(431)
  expect(seen).toEqual([])
})

test('a change of protocol with a body, or to HTTP again, is a request like any other', async () => {
  const { connect, seen } = await start()
  for (const [protocol, rest] of [
    ['websocket', 'Content-Length: 4\r\n\r\nbody'],
    ['h2c', 'HTTP2-Settings: AAMAAABk\r\n\r\n'],
    ['websocket, h2c', '\r\n'],
    ['HTTP/2.0', '\r\n'],
    ['TLS/1.0', '\r\n'],
  ]) {
    const client = await connect(
      `POST / HTTP/1.1\r\n${head}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\n${rest}`,
    )
    expect((await client.reply()).body).toBe('ok')
  }
  expect(seen).toEqual(['POST / body', 'POST / ', 'POST / ', 'POST / ', 'POST / '])
})

test.each([
  'hello.example.com.evil.com',
  'evil.com/hello.example.com',
  'hello.example.com@evil.com',
  'evil.com#hello.example.com',
  'hello.example.com\t.evil.com',
  'hello_.example.com',
  '__proto__.example.com',
  'constructor',
  'hello.hello.example.com',
  'helloXexample.com',
  'hello.example.com:80:80',
  '[hello.example.com]',
  '%68ello.example.com',
])('the Host %j is not the project’s', async host => {
  const { connect, seen, edge } = await start()
  edge.serve([])
  const client = await connect(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  expect((await client.reply()).status).toBeGreaterThanOrEqual(400)
  expect(seen).toEqual([])
})
