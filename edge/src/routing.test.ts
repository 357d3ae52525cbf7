import type { ServerResponse } from 'node:http'
import { until } from '@quarterdeck/testing'
import { describe, expect, test } from 'vitest'
import {
  answerTo,
  asking,
  edgeUnderTest,
  edgeWithProject,
  problemIn,
  service,
  upstream,
} from './under-test.ts'

const named = async (name: string) => ({
  name,
  target: (await service((_request, response) => response.setHeader('content-length', name.length).end(name)))
    .target,
})

test('each project is under its name', async () => {
  const { edge, ask } = await edgeUnderTest()
  edge.serve([upstream('admin')])
  edge.route([await named('one'), await named('two')])
  for (const host of ['one.example.com', 'ONE.example.com:8300', 'one.example.com.'])
    expect((await ask(host)).body).toBe('one')
  expect((await ask('two.example.com')).body).toBe('two')
  expect(problemIn(await ask('three.example.com')).code).toBe('unknown_host')
  expect(problemIn(await ask('one')).code).toBe('unknown_host')
})

test('control’s own hosts go before a project of the same name', async () => {
  const { edge, ask } = await edgeUnderTest()
  edge.route([await named('admin')])
  edge.serve([upstream('admin', (_request, response) => response.end('control'))])
  const { headers } = await ask('admin.example.com')
  expect(headers['x-request-id']).toBeUndefined()
})

test('one of control’s that a client may not see hides a project from it too', async () => {
  const { edge, ask } = await edgeUnderTest()
  edge.serve([upstream('metrics', undefined, { inside: true })])
  edge.route([await named('metrics')])
  const reply = await ask('metrics.example.com', '/', { headers: { via: '1.1 proxy' } })
  expect(problemIn(reply).code).toBe('unknown_host')
})

test('projects are there while control is still starting, everything else is starting', async () => {
  const { edge, ask } = await edgeUnderTest()
  edge.route([await named('hello')])
  expect((await ask('hello.example.com')).body).toBe('hello')
  expect(problemIn(await ask('admin.example.com')).code).toBe('unavailable')
  expect((await ask('example.com', '/readyz')).status).toBe(503)
})

test('a new list replaces the old one at once', async () => {
  const { edge, ask } = await edgeUnderTest()
  const [one, two] = [await named('one'), await named('two')]
  edge.serve([])
  edge.route([one])
  expect((await ask('one.example.com')).body).toBe('one')
  edge.route([{ name: 'one', target: two.target }])
  expect((await ask('one.example.com')).body).toBe('two')
  edge.route([{ name: 'one', target: null }])
  expect(problemIn(await ask('one.example.com')).code).toBe('upstream_absent')
  edge.route([])
  expect(problemIn(await ask('one.example.com')).code).toBe('unknown_host')
})

test('what goes to projects is counted as one endpoint, what goes nowhere as another', async () => {
  const { edge, ask } = await edgeUnderTest()
  edge.serve([upstream('admin')])
  edge.route([await named('one'), await named('two'), { name: 'three', target: null }])
  for (const host of ['one', 'two', 'two', 'three', 'nowhere', '-', 'admin'])
    await ask(`${host}.example.com`, '/any/path?a=1', { method: 'POST' })
  await ask('one.example.com', '/', { headers: { expect: 'tea' } })
  const { body } = await ask('example.com', '/metrics')
  expect(body.match(/^http_requests_total.*$/gm)).toEqual([
    'http_requests_total{method="POST",endpoint="project"} 4',
    'http_requests_total{method="POST",endpoint="unmatched"} 2',
    'http_requests_total{method="GET",endpoint="unmatched"} 1',
  ])
})

describe('a stop', () => {
  const streaming = async () => {
    const streams: ServerResponse[] = []
    const under = await edgeWithProject((_request, response) => {
      response.write('begin')
      streams.push(response)
    })
    const incoming = await answerTo(asking(under.edge).end())
    let text = ''
    incoming.on('data', piece => {
      text += piece
    })
    incoming.on('error', () => {})
    await until('it has begun', () => text === 'begin')
    return { ...under, incoming, stream: streams[0]!, text: () => text }
  }

  test('lets a project finish what it streams', async () => {
    const { edge, incoming, stream, text } = await streaming()
    edge.beginStop()
    const stopped = edge.stop(60_000)
    stream.end(' and end')
    expect(await stopped).toEqual({ cutOff: 0 })
    await until('all has come', () => incoming.complete)
    expect(text()).toBe('begin and end')
  })

  test('cuts it off at the limit, and the project knows', async () => {
    const { edge, incoming, stream, log } = await streaming()
    expect(await edge.stop(20)).toEqual({ cutOff: 1 })
    await until('both know', () => incoming.destroyed && stream.destroyed)
    expect(incoming.complete).toBe(false)
    expect(log.text()).not.toContain('broke off')
  })

  test('leaves no connection to a project behind', async () => {
    const { edge, ask, hello } = await edgeWithProject((_request, response) => response.end())
    let isOpen = false
    hello.server.on('connection', socket => {
      isOpen = true
      socket.on('close', () => {
        isOpen = false
      })
    })
    await ask('hello.example.com')
    expect(isOpen).toBe(true)
    await edge.stop(60_000)
    await until('it is closed', () => !isOpen)
  })
})

test('what a host answers at the bare address goes there, from this machine alone if it is an inner one', async () => {
  const { edge, ask } = await edgeUnderTest()
  const metrics = upstream('metrics', undefined, { inside: true, atBareHost: /^\/services\/[^/]+\/metrics$/ })
  edge.serve([metrics])
  expect((await ask('127.0.0.1', '/services/hello/metrics?x=1')).status).toBe(200)
  expect((await ask('127.0.0.1', '/services/hello')).status).toBe(404)
  const from = { headers: { 'x-forwarded-for': '203.0.113.9' } }
  expect((await ask('127.0.0.1', '/services/hello/metrics', from)).status).toBe(404)
  expect((await ask('hello.example.com', '/services/hello/metrics')).status).toBe(404)
})
