import type { ServerResponse } from 'node:http'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { edgeUnderTest, upstream } from './under-test.ts'

const head = 'Host: admin.example.com\r\n'
const get = (path: string) => `GET ${path} HTTP/1.1\r\n${head}\r\n`
const noise = '\u0000noise\r\n\r\n'

/** An edge whose upstream answers `/now` at once and keeps the rest until it is told. */
async function start(change = {}) {
  const under = await edgeUnderTest(change)
  const held = new Map<string, ServerResponse>()
  under.edge.serve([
    upstream('admin', ({ url = '' }, response) => {
      if (url.startsWith('/now')) response.end(`answer to ${url}`)
      else held.set(url, response)
    }),
  ])
  return { ...under, held }
}

test('noise after an answered request is answered too', async () => {
  const { connect } = await start()
  const client = await connect(get('/now'))
  await client.reply()
  client.write(noise)
  await client.ended()
  expect(client.replies().map(({ status }) => status)).toEqual([200, 400])
})

test('noise right behind a request takes nothing from its answer', async () => {
  const { connect } = await start()
  const client = await connect(get('/now') + noise)
  await client.ended()
  expect(client.replies().map(({ status }) => status)).toEqual([200, 400])
})

test('noise behind a request that is still being handled is answered after it', async () => {
  const { connect, held } = await start()
  const client = await connect(get('/later') + noise)
  await until('it is being handled', () => held.size === 1)
  client.write(noise)
  expect(client.received()).toBe('')
  held.get('/later')?.end('late')
  await client.ended()
  expect(client.replies().map(({ status, body }) => [status, body.slice(0, 4)])).toEqual([
    [200, 'late'],
    [400, '{"ty'],
  ])
})

test('noise behind several requests waits for all of their answers', async () => {
  const { connect, held } = await start()
  const client = await connect(get('/a') + get('/b') + get('/now') + noise)
  await until('they are being handled', () => held.size === 2)
  held.get('/b')?.end('b')
  held.get('/a')?.end('a')
  await client.ended()
  expect(client.replies().map(({ status, body }) => (status === 200 ? body : status))).toEqual([
    'a',
    'b',
    'answer to /now',
    400,
  ])
})

test('noise behind an answer that has begun waits for its end', async () => {
  const { connect, held } = await start()
  const client = await connect(get('/stream'))
  await until('it is being handled', () => held.size === 1)
  held.get('/stream')?.writeHead(200, { 'content-length': 8 }).write('half')
  await until('the answer has begun', () => client.received().endsWith('half'))
  client.write(noise)
  held.get('/stream')?.end('half')
  await client.ended()
  expect(client.replies().map(({ status }) => status)).toEqual([200, 400])
})

const slowBody = (path: string) => `POST ${path} HTTP/1.1\r\n${head}Content-Length: 10\r\n\r\nhalf`
const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200 }

test.each([
  ['by an upstream', slowBody('/now')],
  ['by the edge', slowBody('/now').replace('admin.', '')],
  ['with 417', slowBody('/now').replace('Content', 'Expect: tea\r\nContent')],
])('a request that was answered %s before all of it came is not answered again', async (_whom, bytes) => {
  const { connect } = await start(limits)
  const client = await connect(bytes)
  await client.ended()
  expect(client.replies()).toHaveLength(1)
  expect(client.replies()[0]?.status).not.toBe(408)
})

test('a slow request behind one that is still being handled is not answered in its place', async () => {
  const { connect, held } = await start(limits)
  const client = await connect(get('/later') + slowBody('/slow'))
  await until('both are being handled', () => held.size === 2)
  await client.ended()
  expect(client.received()).toBe('')
})

test('an answer that comes after the refusal goes nowhere and harms nobody', async () => {
  const { connect, held, ask } = await start(limits)
  const client = await connect(slowBody('/late'))
  expect((await client.reply()).status).toBe(408)
  held.get('/late')?.end('too late')
  await client.ended()
  expect(client.replies()).toHaveLength(1)
  expect((await ask('admin.example.com', '/now')).status).toBe(200)
})
