import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { until } from '@quarterdeck/testing'
import { describe, expect, test } from 'vitest'
import { answerTo, asking, edgeUnderTest, edgeWithProject, service, textOf, upstream } from './under-test.ts'

/** Answers with what it was asked. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'x-method': request.method, 'x-url': request.url }).flushHeaders()
  request.pipe(response)
}

test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY'])(
  '%s goes to the project, with path and body',
  async method => {
    const { edge } = await edgeWithProject(echo)
    const headers = { 'content-length': '4' }
    const outgoing = asking(edge, { method, path: '/a/../b?c=%20d&&', headers })
    outgoing.end('body')
    const incoming = await answerTo(outgoing)
    expect(incoming).toMatchObject({
      statusCode: 200,
      headers: { 'x-method': method, 'x-url': '/a/../b?c=%20d&&' },
    })
    expect(await textOf(incoming)).toBe('body')
  },
)

test('a body in chunks, of a method that rarely has one, arrives', async () => {
  const { edge } = await edgeWithProject(echo)
  const outgoing = asking(edge, { method: 'DELETE', headers: { 'transfer-encoding': 'chunked' } })
  outgoing.write('one ')
  outgoing.end('two')
  expect(await textOf(await answerTo(outgoing))).toBe('one two')
})

test('a request without a body is one for the project too', async () => {
  const seen: IncomingMessage['headers'][] = []
  const { connect } = await edgeWithProject(({ headers }, response) => {
    seen.push(headers)
    response.setHeader('content-length', 2).end('ok')
  })
  const client = await connect()
  for (const [i, method] of ['GET', 'POST', 'DELETE'].entries()) {
    client.write(`${method} / HTTP/1.1\r\nHost: hello.example.com\r\n\r\n`)
    await client.reply(i + 1)
  }
  expect(seen.map(headers => [headers['content-length'], headers['transfer-encoding']])).toEqual([
    [undefined, undefined],
    ['0', undefined],
    [undefined, undefined],
  ])
})

test('HEAD, 204 and 304 are answered without a body, and the connections are good for more', async () => {
  const { connect, hello } = await edgeWithProject(({ method, url }, response) => {
    const status = Number(url?.slice(1))
    if (method === 'HEAD') response.writeHead(200, { 'content-length': 1000 }).end()
    else if (status === 200) response.writeHead(200, { 'content-length': 4 }).end('body')
    else response.writeHead(status, { etag: '"a"' }).end()
  })
  const client = await connect('HEAD /200 HTTP/1.1\r\nHost: hello.example.com\r\n\r\n')
  await until('the answer has come', () => client.received().endsWith('\r\n\r\n'))
  expect(client.received()).toMatch(/^HTTP\/1.1 200 OK\r\ncontent-length: 1000\r\n/i)
  for (const status of [204, 304, 200]) {
    const before = client.received().length
    client.write(`GET /${status} HTTP/1.1\r\nHost: hello.example.com\r\n\r\n`)
    const rest = () => client.received().slice(before)
    await until('the answer has come', () => rest().endsWith(status === 200 ? 'body' : '\r\n\r\n'))
    expect(rest()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(rest()).not.toMatch(/transfer-encoding/i)
  }
  expect(hello.connections()).toBe(1)
})

test('one connection to the project serves request after request, with and without a body', async () => {
  const { edge, hello } = await edgeWithProject(echo)
  for (let i = 0; i < 5; i++) {
    const outgoing = asking(edge, { method: i % 2 ? 'POST' : 'GET' })
    outgoing.end(i % 2 ? 'body' : '')
    await textOf(await answerTo(outgoing))
  }
  expect(hello.connections()).toBe(1)
})

test('server-sent events come at once, headers before the first', async () => {
  const streams: ServerResponse[] = []
  const { edge } = await edgeWithProject((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    streams.push(response)
  })
  const incoming = await answerTo(asking(edge).end())
  expect(incoming.headers['content-type']).toBe('text/event-stream')
  let text = ''
  incoming.setEncoding('utf8').on('data', piece => {
    text += piece
  })
  for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
    streams[0]?.write(event)
    await until('the event has come', () => text.endsWith(event))
  }
  streams[0]?.end()
  await once(incoming, 'end')
})

test('a request that is still being written is answered as it comes', async () => {
  const { edge } = await edgeWithProject(echo)
  const outgoing = asking(edge, { method: 'POST' })
  outgoing.flushHeaders()
  const incoming = await answerTo(outgoing)
  let text = ''
  incoming.setEncoding('utf8').on('data', piece => {
    text += piece
  })
  for (const piece of ['ping', 'pong']) {
    outgoing.write(piece)
    await until('it came back', () => text.endsWith(piece))
  }
  outgoing.end()
  await once(incoming, 'end')
})

describe('Expect: 100-continue', () => {
  const expecting = { method: 'POST', headers: { expect: '100-continue', 'content-length': '4' } }

  test('the project says whether it wants the body', async () => {
    const { edge, hello } = await edgeWithProject(echo)
    const asked: (() => void)[] = []
    hello.server.on('checkContinue', (request, response) =>
      asked.push(() => {
        response.writeContinue()
        echo(request, response)
      }),
    )
    const outgoing = asking(edge, expecting)
    let isWanted = false
    outgoing.on('continue', () => {
      isWanted = true
    })
    outgoing.flushHeaders()
    await until('the project was asked', () => asked.length === 1)
    expect(isWanted).toBe(false)
    asked[0]?.()
    const answered = answerTo(outgoing)
    await until('the body is wanted', () => isWanted)
    outgoing.end('body')
    expect(await textOf(await answered)).toBe('body')
  })

  test('and if not, its answer is the answer', async () => {
    const { edge, hello } = await edgeWithProject(echo)
    hello.server.on('checkContinue', (_request, response) => response.writeHead(413).end('too much'))
    const outgoing = asking(edge, expecting)
    outgoing.on('continue', () => outgoing.end('body'))
    outgoing.flushHeaders()
    const incoming = await answerTo(outgoing)
    expect([incoming.statusCode, await textOf(incoming)]).toEqual([413, 'too much'])
  })

  test('control’s own hosts always want it', async () => {
    const { edge } = await edgeUnderTest()
    edge.serve([upstream('admin', echo)])
    const outgoing = asking(edge, {
      ...expecting,
      headers: { ...expecting.headers, host: 'admin.example.com' },
    })
    outgoing.on('continue', () => outgoing.end('body'))
    outgoing.flushHeaders()
    expect(await textOf(await answerTo(outgoing))).toBe('body')
  })
})

test('what is under way stays where it is when routes change', async () => {
  const held: ServerResponse[] = []
  const { edge, ask } = await edgeWithProject((_request, response) => void held.push(response))
  const next = await service((_request, response) => response.setHeader('content-length', 3).end('new'))
  const outgoing = asking(edge).end()
  await until('it is under way', () => held.length === 1)
  edge.route([{ name: 'hello', target: next.target }])
  expect((await ask('hello.example.com')).body).toBe('new')
  edge.route([])
  expect((await ask('hello.example.com')).status).toBe(503)
  held[0]?.end('old')
  expect(await textOf(await answerTo(outgoing))).toBe('old')
})
