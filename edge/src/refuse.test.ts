import { type ErrorCode, errors, problem } from '@quarterdeck/contract'
import { until } from '@quarterdeck/testing'
import { describe, expect, test } from 'vitest'
import { edgeUnderTest, problemIn, type Reply, upstream } from './under-test.ts'

const host = 'Host: admin.example.com\r\n'
const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The catalogue's answer, as programs get it. */
function expectRefusal(reply: Reply, code: ErrorCode): void {
  const document = problem.parse(problemIn(reply))
  expect([reply.status, document.code]).toEqual([errors[code].status, code])
  expect(document.type).toMatch(new RegExp(`^http://docs\\.example\\.com:\\d+/errors/${code}$`))
  expect(reply.headers).toMatchObject({
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': document.request_id,
  })
  expect(document.request_id).toMatch(uuidv7)
  expect(reply.body).not.toMatch(/\bat .*\.ts|node:|Error:|stack/)
}

describe('a host that is not served', () => {
  test('is refused in JSON for programs', async () => {
    const { edge, ask } = await edgeUnderTest()
    edge.serve([upstream('admin')])
    const reply = await ask('nothing.example.com')
    expectRefusal(reply, 'unknown_host')
    expect(problemIn(reply).detail).toBe('Nothing is served under the name nothing.example.com.')
  })

  test('is refused with a page for people', async () => {
    const { edge, ask } = await edgeUnderTest()
    edge.serve([upstream('admin')])
    const reply = await ask('nothing.example.com', '/', { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect(reply).toMatchObject({ status: 404, headers: { 'content-type': 'text/html; charset=utf-8' } })
    expect(reply.headers['content-security-policy']).toContain("default-src 'none'")
    expect(reply.body).toContain('<title>No such host here · Quarterdeck</title>')
    expect(reply.body).toContain(`<code>${reply.headers['x-request-id']}</code>`)
  })
})

describe('what is not HTTP, or not all of it, gets the catalogue’s answer', () => {
  test.each<[string, string, ErrorCode]>([
    ['noise', '\u0000\u0001\u0002 noise\r\n\r\n', 'malformed_request'],
    ['a TLS greeting', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001', 'malformed_request'],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'malformed_request'],
    ['a method that does not exist', `BREW / HTTP/1.1\r\n${host}\r\n`, 'malformed_request'],
    ['a target with spaces', `GET /a b HTTP/1.1\r\n${host}\r\n`, 'malformed_request'],
    ['a header without a name', `GET / HTTP/1.1\r\n${host}: x\r\n\r\n`, 'malformed_request'],
    ['a header with a bare line feed', `GET / HTTP/1.1\r\n${host}a: b\nc: d\r\n\r\n`, 'malformed_request'],
    [
      'two lengths',
      `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      'malformed_request',
    ],
    [
      'a length and chunks',
      `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      'malformed_request',
    ],
    [
      'a chunk of no size',
      `POST /wait HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      'malformed_request',
    ],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 'malformed_request'],
    ['an empty Host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n', 'malformed_request'],
    ['a malformed Host', 'GET / HTTP/1.1\r\nHost: <script>\r\n\r\n', 'malformed_request'],
    ['two Hosts', `GET / HTTP/1.1\r\n${host}Host: status.example.com\r\n\r\n`, 'malformed_request'],
    ['a target that is no path', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, 'malformed_request'],
    [
      'a wish for a tunnel',
      'CONNECT db.test:5432 HTTP/1.1\r\nHost: db.test:5432\r\n\r\n',
      'malformed_request',
    ],
    ['headers over 16 KiB', `GET / HTTP/1.1\r\n${host}a: ${'x'.repeat(17_000)}\r\n\r\n`, 'header_too_large'],
    ['a target over 16 KiB', `GET /${'x'.repeat(17_000)} HTTP/1.1\r\n${host}\r\n`, 'header_too_large'],
    ['an expectation', `GET / HTTP/1.1\r\n${host}Expect: tea\r\n\r\n`, 'expectation_failed'],
  ])('%s', async (_what, bytes, code) => {
    const { edge, connect } = await edgeUnderTest()
    edge.serve([upstream('admin', ({ url }, response) => void (url === '/wait' || response.end('admin')))])
    const client = await connect(Buffer.from(bytes, 'latin1'))
    expectRefusal(await client.reply(), code)
    expect(client.replies()).toHaveLength(1)
  })

  test('more than a client can have read is still answered', async () => {
    const { connect } = await edgeUnderTest()
    const client = await connect(`GET / HTTP/1.1\r\n${host}a: ${'x'.repeat(8_000_000)}\r\n\r\n`)
    expectRefusal(await client.reply(), 'header_too_large')
  })

  test('a client that neither reads on nor stops sending is left time to, but not for ever', async () => {
    const { edge, connect } = await edgeUnderTest()
    const client = await connect('noise\r\n\r\n')
    await client.ended()
    const endedMs = performance.now()
    await until('the edge lets go', () => {
      client.write('more')
      return client.socket.destroyed
    })
    expect(performance.now() - endedMs).toBeGreaterThan(500)
    expect(await edge.stop(60_000)).toEqual({ cutOff: 0 })
  })
})

describe('what arrives too slowly is told so within the limit', () => {
  const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200 }

  test.each([
    ['nothing at all', ''],
    ['half of the headers', `GET / HTTP/1.1\r\n${host}`],
    ['half of the body', `POST / HTTP/1.1\r\n${host}Content-Length: 10\r\n\r\nhalf`],
    ['half of the chunks', `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`],
  ])('%s', async (_what, bytes) => {
    const { edge, connect } = await edgeUnderTest(limits)
    edge.serve([
      upstream('admin', (request, response) => void request.resume().on('end', () => response.end())),
    ])
    const startedMs = performance.now()
    const client = await connect(bytes)
    const reply = await client.reply()
    expect(performance.now() - startedMs).toBeLessThan(5000)
    expectRefusal(reply, 'request_timeout')
    await client.ended()
    expect(client.replies()).toHaveLength(1)
  })

  test('the refusal has the id under which the request was handed on', async () => {
    const { edge, connect } = await edgeUnderTest(limits)
    const ids: unknown[] = []
    edge.serve([upstream('admin', ({ headers }) => void ids.push(headers['x-request-id']))])
    const client = await connect(`POST / HTTP/1.1\r\n${host}Content-Length: 10\r\n\r\nhalf`)
    expect([(await client.reply()).headers['x-request-id']]).toEqual(ids)
  })

  test('the rest of a request that came too late is not handed on', async () => {
    const { edge, connect } = await edgeUnderTest(limits)
    const outcomes: string[] = []
    edge.serve([
      upstream('admin', request => {
        request
          .resume()
          .on('end', () => outcomes.push('whole'))
          .on('close', () => outcomes.push('closed'))
      }),
    ])
    const client = await connect(`POST / HTTP/1.1\r\n${host}Content-Length: 8\r\n\r\nhalf`)
    await client.reply()
    client.write('half')
    await until('the upstream knows', () => outcomes.length > 0)
    expect(outcomes).toEqual(['closed'])
  })
})

test('no answer can be split: line breaks in targets and headers never come back', async () => {
  const { connect } = await edgeUnderTest()
  const attempts = [
    `GET /%0d%0aset-cookie:a=b HTTP/1.1\r\nHost: example.com\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: x%0d%0aset-cookie:a=b\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: a.example.com\r\nX-Request-Id: x\r\n set-cookie: a=b\r\n\r\n`,
    `GET http://x\rset-cookie:a=b/ HTTP/1.1\r\nHost: a\r\n\r\n`,
  ]
  for (const attempt of attempts) {
    const client = await connect(attempt)
    expect((await client.reply()).status).toBeGreaterThanOrEqual(400)
    expect(client.received()).not.toMatch(/^set-cookie/im)
  }
})
