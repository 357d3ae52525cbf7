import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { Published } from './published.ts'

const headers = {
  type: 'application/json',
  cacheControl: 'max-age=5',
  more: { 'access-control-allow-origin': '*' },
}
const text = JSON.stringify({ words: Array.from({ length: 500 }, (_, index) => `word ${index}`) })

async function serving(published: Published) {
  const server = createServer((asked, response) => published.serve(asked, response)).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return async (sent: Record<string, string> = {}, method = 'GET') => {
    const asking = request({ port, host: '127.0.0.1', method, headers: sent }).end()
    const [response] = await once(asking, 'response')
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }
  }
}

test('the bytes come plain, or compressed for who takes it, each with an ETag of its own', async () => {
  const get = await serving(new Published(text, headers))
  const plain = await get()
  expect([plain.status, `${plain.bytes}`]).toEqual([200, text])
  expect(plain.headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'max-age=5',
    'content-length': `${text.length}`,
    'access-control-allow-origin': '*',
    vary: 'accept-encoding',
  })
  const [br, gzip, refused] = [
    await get({ 'accept-encoding': 'gzip, deflate, br;q=0.9' }),
    await get({ 'accept-encoding': 'gzip;q=1.0, br;q=0' }),
    await get({ 'accept-encoding': 'identity;q=1, *;q=0' }),
  ]
  expect(br.headers['content-encoding']).toBe('br')
  expect(`${brotliDecompressSync(br.bytes)}`).toBe(text)
  expect(gzip.headers['content-encoding']).toBe('gzip')
  expect(`${gunzipSync(gzip.bytes)}`).toBe(text)
  expect(refused.headers['content-encoding']).toBeUndefined()
  const etags = [plain, br, gzip].map(answer => answer.headers.etag)
  expect(new Set(etags).size).toBe(3)
  for (const etag of etags) expect(etag).toMatch(/^"[\w-]+"$/)
})

test('who knows it gets no bytes; other bytes are not known', async () => {
  const get = await serving(new Published(text, headers))
  const { etag } = (await get()).headers
  for (const known of [etag!, `W/${etag}`, `"else", ${etag}`, '*']) {
    const answer = await get({ 'if-none-match': known })
    expect([answer.status, answer.bytes.length, answer.headers['content-type']]).toEqual([304, 0, undefined])
    expect(answer.headers.etag).toBe(etag)
  }
  const other = await serving(new Published(`${text} `, headers))
  expect((await other({ 'if-none-match': etag! })).status).toBe(200)
})

test('HEAD tells the length and sends nothing', async () => {
  const get = await serving(new Published(text, headers))
  const head = await get({}, 'HEAD')
  expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([200, `${text.length}`, 0])
})

test('what is small is not compressed', async () => {
  const get = await serving(new Published('{}', headers))
  expect((await get({ 'accept-encoding': 'br' })).headers['content-encoding']).toBeUndefined()
})
