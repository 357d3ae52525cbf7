import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { requestHeaders, responseHeaders } from './hop-headers.ts'
import { edgeWithProject } from './under-test.ts'

const said = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https', 'x-request-id': 'id-1' }

/** A request as the edge has it when it passes it on. */
function requestWith(rawHeaders: string[], method = 'GET'): IncomingMessage {
  const headers: Record<string, string> = {}
  for (let i = 0; i < rawHeaders.length; i += 2) headers[rawHeaders[i]!.toLowerCase()] = rawHeaders[i + 1]!
  return { method, rawHeaders, headers: { ...headers, host: 'hello.example.com:8300', ...said } } as never
}

const ours = [
  ...['X-Forwarded-For', '203.0.113.9', 'X-Forwarded-Proto', 'https'],
  ...['X-Forwarded-Host', 'hello.example.com:8300', 'X-Request-Id', 'id-1'],
]

/** What of a request's headers goes on, without those that always do. */
function sent(rawHeaders: string[], method?: string): string[] {
  const list = requestHeaders(requestWith(rawHeaders, method))
  expect(list.slice(0, 2)).toEqual(['Host', 'hello.example.com:8300'])
  const end = list.indexOf('X-Forwarded-For')
  expect(list.slice(end, end + ours.length)).toEqual(ours)
  return [...list.slice(2, end), ...list.slice(end + ours.length)]
}

test('case, order and repetition are kept', () => {
  const headers = ['aCCept', '*/*', 'Cookie', 'a=1', 'X-A', '1', 'Cookie', 'b=2', 'x-a', '2']
  expect(sent(headers)).toEqual(headers)
})

test.each([
  'Connection',
  'Keep-Alive',
  'Proxy-Connection',
  'Proxy-Authorization',
  'Proxy',
  'TE',
  'Trailer',
  'Upgrade',
  'HTTP2-Settings',
])('%s is of one hop', name => {
  expect(sent([name, 'x', 'X-A', '1'])).toEqual(['X-A', '1'])
})

test.each([
  'X-Forwarded-For',
  'x-forwarded-proto',
  'X-Forwarded-Host',
  'X-Forwarded-Port',
  'X-Request-Id',
  'X-Real-IP',
  'Forwarded',
  'Host',
  'X_Forwarded_For',
  'x-forwarded_for',
  'X_Request_Id',
  'Content_Length',
  'Transfer_Encoding',
])('nobody but the edge says %s', name => {
  expect(sent([name, '127.0.0.1', 'X-A', '1'])).toEqual(['X-A', '1'])
})

test('what Connection names is of one hop too', () => {
  expect(sent(['Connection', 'close, X-A', 'X-A', '1', 'X-B', '2', 'connection', ' x-b ,'])).toEqual([])
})

test.each(['X-Forwarded-For', 'X-Request-Id', 'Host', 'Content-Length', 'X-Forwarded-Host'])(
  'Connection cannot take %s away',
  name => {
    expect(sent(['Connection', name, 'Content-Length', '5'], 'POST')).toEqual(['Content-Length', '5'])
  },
)

test('a body has one length, and of a missing one the project is told', () => {
  expect(sent(['Content-Length', '5'], 'POST')).toEqual(['Content-Length', '5'])
  expect(sent(['Transfer-Encoding', 'Chunked'], 'GET')).toEqual(['Transfer-Encoding', 'chunked'])
  expect(sent([], 'POST')).toEqual(['Content-Length', '0'])
  expect(sent([], 'GET')).toEqual([])
})

test('an answer keeps everything of its own, and gets an id if it has none', () => {
  const answer = (rawHeaders: string[]) => responseHeaders({ rawHeaders } as IncomingMessage, 'id-1')
  const cookies = ['Set-Cookie', 'a=1', 'set-cookie', 'b=2', 'X_Odd', 'x']
  expect(answer([...cookies, 'Connection', 'x-a', 'X-A', '1', 'Transfer-Encoding', 'chunked'])).toEqual([
    ...cookies,
    ...['X-Request-Id', 'id-1'],
  ])
  expect(answer(['x-request-ID', 'its own'])).toEqual(['x-request-ID', 'its own'])
})

test('whatever is sent, who asks is told once, and by the edge', () => {
  const name = fc.oneof(
    fc.constantFrom('Connection', 'X-Forwarded-For', 'X_FORWARDED_FOR', 'Host', 'Forwarded', 'X-Request-Id'),
    fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.oneof(name, fc.string()))), pairs => {
      const list = requestHeaders(requestWith(pairs.flat()))
      const names = list.filter((_, i) => i % 2 === 0).map(one => one.toLowerCase().replaceAll('_', '-'))
      for (const one of ['host', ...Object.keys(said), 'x-forwarded-host'])
        expect(names.filter(other => other === one)).toHaveLength(1)
      for (const one of ['connection', 'forwarded', 'upgrade']) expect(names).not.toContain(one)
    }),
  )
})

describe('on the wire', () => {
  async function start(head: string) {
    const seen: IncomingMessage[] = []
    const under = await edgeWithProject((request, response) => {
      seen.push(request)
      response.sendDate = false
      response.writeHead(200, 'Fine', ['SET-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'Content-Length', '0']).end()
    })
    const client = await under.connect(`GET / HTTP/1.1\r\n${head}\r\n`)
    await client.reply()
    return { seen, client }
  }

  test('the project sees the client’s headers and the edge’s word on who asks', async () => {
    const { seen, client } = await start(
      'hOsT: HELLO.example.com:80\r\nX-Forwarded-For: 8.8.8.8\r\nX-Request-Id: forged\r\nConnection: X-Forwarded-For, X-Gone\r\nX-Gone: 1\r\nX-Kept: ä\r\n',
    )
    const [, id] = client.received().match(/X-Request-Id: (\S+)/) ?? []
    expect(seen[0]?.rawHeaders).toEqual([
      ...['Host', 'HELLO.example.com:80', 'X-Kept', Buffer.from('ä').toString('latin1')],
      ...['X-Forwarded-For', 'unknown', 'X-Forwarded-Proto', 'http'],
      ...['X-Forwarded-Host', 'HELLO.example.com:80', 'X-Request-Id', id],
      ...['Connection', 'keep-alive'],
    ])
    expect(id).not.toBe('forged')
  })

  test('the answer is the project’s, to the letter', async () => {
    const { client } = await start('Host: hello.example.com\r\n')
    expect(client.received()).toMatch(
      /^HTTP\/1.1 200 Fine\r\nSET-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\nX-Request-Id: \S+\r\nConnection: keep-alive\r\nKeep-Alive: timeout=75\r\n\r\n$/,
    )
  })

  test('an absolute target names the host that the project is told', async () => {
    const { connect } = await edgeWithProject(({ url, headers }, response) => {
      const text = `${headers.host} ${url}`
      response.setHeader('content-length', text.length).end(text)
    })
    const client = await connect('GET http://hello.example.com/a HTTP/1.1\r\nHost: other.example.com\r\n\r\n')
    expect((await client.reply()).body).toBe('hello.example.com /a')
  })
})
