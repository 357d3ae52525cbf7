/** Bodies that are larger than memory should be, and peers that leave in the middle. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { answerTo, asking, edgeUnderTest, edgeWithProject, targetOf, textOf } from './under-test.ts'
import { bodyMiB, mebibyte, pour, standstill } from './under-test-streams.ts'

/** Of sockets and streams on the way; the system's own buffers on the loopback are the most of it. */
const buffersMiB = 25

async function lengthOf(readable: NodeJS.ReadableStream): Promise<number> {
  let length = 0
  for await (const piece of readable) length += piece.length
  return length
}

test('a project that sends more than the client reads is stopped, and goes on when it does', async () => {
  let poured: ReturnType<typeof pour> | undefined
  const { edge } = await edgeWithProject((_request, response) => {
    poured = pour(response)
  })
  const incoming = await answerTo(asking(edge).end())
  expect(await standstill(() => poured?.sent() ?? 0)).toBeLessThan(buffersMiB)
  expect(await lengthOf(incoming)).toBe(bodyMiB * mebibyte.length)
})

test('a client that sends more than the project reads is stopped, and goes on when it does', async () => {
  const held: [IncomingMessage, ServerResponse][] = []
  const { edge } = await edgeWithProject((...exchange) => void held.push(exchange))
  const outgoing = asking(edge, { method: 'POST' })
  const { sent } = pour(outgoing)
  expect(await standstill(sent)).toBeLessThan(buffersMiB)
  const [request, response] = held[0]!
  const answered = answerTo(outgoing)
  response.end(String(await lengthOf(request)))
  expect(await textOf(await answered)).toBe(String(bodyMiB * mebibyte.length))
})

test('when the client leaves before the answer the project knows', async () => {
  const held: IncomingMessage[] = []
  const { edge, log } = await edgeWithProject(request => void held.push(request))
  const outgoing = asking(edge).end()
  await until('it is under way', () => held.length === 1)
  outgoing.destroy()
  await until('the project knows', () => held[0]?.socket.destroyed)
  expect(log.text()).not.toContain('hello')
})

test('when the client leaves in the middle of the answer the project knows', async () => {
  const held: ServerResponse[] = []
  const { edge, log } = await edgeWithProject((_request, response) => {
    response.write('half')
    held.push(response)
  })
  const outgoing = asking(edge).end()
  await once(await answerTo(outgoing), 'data')
  outgoing.destroy()
  await until('the project knows', () => held[0]?.destroyed)
  expect(log.text()).not.toContain('hello')
})

test('when the client leaves in the middle of the body the project knows that it is not whole', async () => {
  const held: IncomingMessage[] = []
  const { edge } = await edgeWithProject(request => void held.push(request.resume()))
  const outgoing = asking(edge, { method: 'POST' })
  outgoing.write('half')
  await until('it is under way', () => held.length === 1)
  outgoing.destroy()
  await until('the project knows', () => held[0]?.destroyed)
  expect(held[0]?.complete).toBe(false)
})

test.each([
  ['with a length', 'Content-Length: 8\r\n\r\nhalf'],
  ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
  ['in chunks that are none', 'Transfer-Encoding: chunked\r\n\r\n4\r\nhalfnoise\r\n'],
])('an answer %s that the project breaks off is not passed off as whole', async (_how, rest) => {
  const { edge, connect, log } = await edgeUnderTest()
  const breaking = createServer(socket =>
    socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${rest}`)).on('error', () => {}),
  )
  edge.route([{ name: 'hello', target: await targetOf(breaking) }])
  const client = await connect('GET / HTTP/1.1\r\nHost: hello.example.com\r\n\r\n')
  await client.ended()
  expect(client.received()).toMatch(/^HTTP\/1.1 200 OK\r\n/)
  expect(client.received()).not.toMatch(/0\r\n\r\n$/)
  await until('the log has it', () => log.text().includes('the project hello broke off its answer'))
})

test('an answer that comes before all of the body ends the matter, and the client may go on', async () => {
  const { connect, hello } = await edgeWithProject((request, response) => {
    if (request.method === 'POST') response.writeHead(413, { 'content-length': 0, connection: 'close' }).end()
    else response.setHeader('content-length', 2).end('ok')
  })
  const client = await connect(
    `POST / HTTP/1.1\r\nHost: hello.example.com\r\nContent-Length: ${2 * mebibyte.length}\r\n\r\nbegin`,
  )
  expect((await client.reply()).status).toBe(413)
  client.write(mebibyte)
  client.write(mebibyte.subarray('begin'.length))
  client.write('GET / HTTP/1.1\r\nHost: hello.example.com\r\n\r\n')
  expect((await client.reply(2)).body).toBe('ok')
  expect(hello.connections()).toBe(2)
})

test('requests in a row on one connection are answered in order', async () => {
  const held = new Map<string, ServerResponse>()
  const { connect } = await edgeWithProject(({ url = '' }, response) => void held.set(url, response))
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: hello.example.com\r\n\r\n`
  const client = await connect(get('/a') + get('/b'))
  await until('both are under way', () => held.size === 2)
  for (const path of ['/b', '/a']) held.get(path)?.setHeader('content-length', 2).end(path)
  await client.reply(2)
  expect(client.replies().map(({ body }) => body)).toEqual(['/a', '/b'])
})
