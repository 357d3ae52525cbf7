import { version } from '@quarterdeck/contract'
import { describe, expect, test } from 'vitest'
import { edgeUnderTest, problemIn, upstream } from './under-test.ts'

describe.each(['example.com', 'localhost:8300', '127.0.0.1', '192.0.2.7:8300', '[::1]:8300'])('%s', host => {
  test('is the edge’s own host: an API of the environment', async () => {
    const { edge, ask } = await edgeUnderTest()
    edge.serve([upstream('admin')])
    expect(await ask(host, '/healthz')).toMatchObject({ status: 200, body: '{"ok":true}' })
    expect(await ask(host, '/readyz')).toMatchObject({ status: 200, body: '{"ok":true}' })
    expect(version.parse(JSON.parse((await ask(host, '/version')).body))).toEqual({
      name: 'edge',
      sha: 'unknown',
    })
    expect((await ask(host, '/metrics')).body).toContain('# HELP http_requests_total Total HTTP requests\n')
    expect((await ask(host, '/')).headers['content-type']).toBe('text/html; charset=utf-8')
  })
})

test('while control is starting the edge is healthy but not ready, and the log says why, once', async () => {
  const { edge, ask, log } = await edgeUnderTest()
  expect((await ask('example.com', '/healthz')).status).toBe(200)
  expect(await ask('example.com', '/readyz')).toMatchObject({ status: 503, body: '{"ok":false}' })
  expect((await ask('example.com', '/readyz')).status).toBe(503)
  expect((await ask('example.com', '/')).status).toBe(200)
  expect(log.text().match(/control is still starting/g)).toHaveLength(1)
  edge.beginStop()
})

test('from the stop signal on it is not ready', async () => {
  const { edge, ask } = await edgeUnderTest()
  edge.serve([])
  expect((await ask('example.com', '/readyz')).status).toBe(200)
  edge.beginStop()
  expect((await ask('example.com', '/readyz')).status).toBe(503)
  expect((await ask('example.com', '/healthz')).status).toBe(200)
})

test('HTTP/1.0 without a Host is for the edge itself', async () => {
  const { connect } = await edgeUnderTest()
  const client = await connect('GET /healthz HTTP/1.0\r\n\r\n')
  await client.ended()
  expect(client.received()).toMatch(/^HTTP\/1.1 200 OK\r\n/)
  expect(client.received().endsWith('{"ok":true}')).toBe(true)
})

test('every answer has a request id of its own and is not kept', async () => {
  const { ask } = await edgeUnderTest()
  const ids = new Set<string | undefined>()
  for (const path of ['/', '/healthz', '/readyz', '/version', '/metrics', '/nowhere']) {
    const { headers } = await ask('example.com', path)
    expect(headers['cache-control']).toBe('no-store')
    ids.add(headers['x-request-id'])
  }
  expect(ids.size).toBe(6)
  expect(ids).not.toContain(undefined)
})

test('HEAD is as GET, without the body', async () => {
  const { ask } = await edgeUnderTest()
  for (const path of ['/', '/healthz', '/version', '/nowhere']) {
    const [get, head] = [await ask('example.com', path), await ask('example.com', path, { method: 'HEAD' })]
    const lasting = ({ headers }: typeof get) => ({ ...headers, date: '', 'x-request-id': '' })
    expect([head.status, head.body, lasting(head)]).toEqual([get.status, '', lasting(get)])
  }
})

test.each([
  ['GET', '/nowhere', 404, 'not_found'],
  ['GET', '/healthz/', 404, 'not_found'],
  ['GET', '/api/tokens', 404, 'not_found'],
  ['POST', '/healthz', 405, 'method_not_allowed'],
  ['DELETE', '/', 405, 'method_not_allowed'],
])('%s %s is refused with %s %s', async (method, path, status, code) => {
  const { ask } = await edgeUnderTest()
  const reply = await ask('example.com', path, { method })
  expect([reply.status, problemIn(reply).code]).toEqual([status, code])
  expect(reply.headers.allow).toBe(code === 'method_not_allowed' ? 'GET, HEAD' : undefined)
})

test('requests to it are counted, scanners as one endpoint', async () => {
  const { ask } = await edgeUnderTest()
  for (const path of ['/', '/healthz', '/wp-login.php', '/.env?a=1', '/constructor'])
    await ask('example.com', path)
  const { body } = await ask('example.com', '/metrics')
  const counts = [...body.matchAll(/^http_requests_total\{(.+)\} (\d+)$/gm)].map(([, labels, count]) => [
    labels,
    count,
  ])
  expect(counts).toEqual([
    ['method="GET",endpoint="/"', '1'],
    ['method="GET",endpoint="/healthz"', '1'],
    ['method="GET",endpoint="unmatched"', '3'],
  ])
})
