import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Fault } from '@quarterdeck/contract'
import { until } from '@quarterdeck/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { edgeUnderTest, problemIn, upstream } from './under-test.ts'

const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

describe('routing', () => {
  test('goes by the Host header', async () => {
    const { edge, ask } = await edgeUnderTest()
    edge.serve([upstream('admin'), upstream('status')])
    for (const host of ['admin.example.com', 'ADMIN.example.com:8300', 'admin.example.com.']) {
      expect(await ask(host)).toMatchObject({ status: 200, body: 'admin' })
    }
    expect((await ask('status.example.com')).body).toBe('status')
  })

  test('what machines call goes to the API, by whatever name they reach the machine, and nothing else does', async () => {
    const { edge, ask } = await edgeUnderTest()
    expect((await ask('127.0.0.1', '/api/v2/alerts', { method: 'POST' })).status).toBe(503)
    edge.serve([upstream('admin')])
    for (const host of ['example.com', 'localhost', '127.0.0.1', '[::1]']) {
      for (const path of ['/api/v2/alerts', '/api/alerts/alertmanager?x=1', '/api/heartbeats/backup'])
        expect(await ask(host, path, { method: 'POST' })).toMatchObject({ status: 200, body: 'admin' })
      for (const path of [
        '/api/tokens',
        '/api/alerts',
        '/api/v2/alerts/x',
        '/api/v2/alerts%2f..',
        '//api/v2/alerts',
      ])
        expect((await ask(host, path, { method: 'POST' })).status).toBe(404)
    }
  })

  test('several requests on one connection may be for several hosts', async () => {
    const { edge, connect } = await edgeUnderTest()
    edge.serve([upstream('admin'), upstream('status')])
    const client = await connect('GET / HTTP/1.1\r\nHost: admin.example.com\r\n\r\n')
    expect((await client.reply(1)).body).toBe('admin')
    client.write('GET http://status.example.com/ HTTP/1.1\r\nHost: admin.example.com\r\n\r\n')
    expect((await client.reply(2)).body).toBe('status')
  })

  test('the upstream hears who asks in headers that nobody can forge', async () => {
    const { edge, ask } = await edgeUnderTest()
    const seen: IncomingMessage['headers'][] = []
    const noting = upstream('admin', (request, response) => {
      seen.push(request.headers)
      response.end()
    })
    edge.serve([noting])
    await ask('admin.example.com', '/', {
      headers: { 'x-forwarded-for': '8.8.8.8', 'x-forwarded-proto': 'https', 'x-request-id': 'forged' },
    })
    expect(seen[0]).toMatchObject({ 'x-forwarded-for': 'unknown', 'x-forwarded-proto': 'http' })
    expect(seen[0]?.['x-request-id']).toMatch(uuidv7)
    await ask('admin.example.com')
    expect(seen[1]).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' })
    expect(seen[1]?.['x-request-id']).not.toBe(seen[0]?.['x-request-id'])
  })

  test('a named proxy is believed', async () => {
    const { edge, ask } = await edgeUnderTest({ trustedProxies: ['127.0.0.0/8'] })
    const seen: IncomingMessage['headers'][] = []
    const noting = upstream('admin', (request, response) => {
      seen.push(request.headers)
      response.end()
    })
    edge.serve([noting])
    const said = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https', 'x-request-id': 'theirs' }
    await ask('admin.example.com', '/', { headers: said })
    expect(seen[0]).toMatchObject(said)
  })

  test('an upstream that throws is answered for with 500, which says nothing of the inside', async () => {
    const { edge, ask, log } = await edgeUnderTest()
    const broken = upstream('admin', () => {
      throw new Error('secret inside')
    })
    edge.serve([broken])
    const reply = await ask('admin.example.com')
    expect(reply.status).toBe(500)
    expect(reply.body).not.toContain('secret')
    const { request_id } = problemIn(reply)
    expect(log.lines).toContainEqual(expect.objectContaining({ request_id, msg: 'the edge failed' }))
    expect(log.text()).toContain('secret inside')
  })
})

test('an upstream that throws in the middle of its answer is cut off, and nobody else', async () => {
  const { edge, ask, connect: connectTo, log } = await edgeUnderTest()
  edge.serve([
    upstream('admin', (_request, response) => {
      response.writeHead(200, { 'content-length': 8 }).write('half')
      throw new Error('secret inside')
    }),
  ])
  const client = await connectTo('GET / HTTP/1.1\r\nHost: admin.example.com\r\n\r\n')
  await client.ended()
  expect(client.replies()).toEqual([])
  expect(log.text()).toContain('secret inside')
  expect((await ask('example.com', '/healthz')).status).toBe(200)
})

describe('an upstream for this machine alone', () => {
  const inside = upstream('metrics', undefined, { inside: true })

  test('is there for a client on it', async () => {
    const { edge, ask } = await edgeUnderTest()
    edge.serve([inside])
    expect((await ask('metrics.example.com')).body).toBe('metrics')
  })

  test('is unknown to one that comes through a proxy', async () => {
    const { edge, ask } = await edgeUnderTest()
    edge.serve([inside])
    const reply = await ask('metrics.example.com', '/', { headers: { via: '1.1 proxy' } })
    expect([reply.status, problemIn(reply).code]).toEqual([404, 'unknown_host'])
  })

  test('is unknown to one from outside', async context => {
    const address = Object.values(networkInterfaces())
      .flatMap(list => list ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4')?.address
    if (!address) return context.skip('this machine has no address but loopback')
    const { edge, connect } = await edgeUnderTest({ listen: { address: '0.0.0.0', port: 0 } })
    edge.serve([inside, upstream('admin')])
    const client = await connect('GET / HTTP/1.1\r\nHost: metrics.example.com\r\n\r\n', address)
    const reply = await client.reply()
    expect([reply.status, problemIn(reply).code]).toEqual([404, 'unknown_host'])
    client.write('GET / HTTP/1.1\r\nHost: admin.example.com\r\n\r\n')
    expect((await client.reply(2)).body).toBe('admin')
  })
})

describe('starting', () => {
  test('until there is something to route to, every host answers that it is starting', async () => {
    const { edge, ask } = await edgeUnderTest()
    const reply = await ask('admin.example.com')
    expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    expect(problemIn(reply).code).toBe('unavailable')
    edge.serve([upstream('admin')])
    expect((await ask('admin.example.com')).status).toBe(200)
  })

  test('a port that is taken is named, with the way out', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    const fault = await edgeUnderTest({ listen: { address: '127.0.0.1', port } }).catch(error => error)
    expect(fault).toBeInstanceOf(Fault)
    expect(fault.code).toBe('port_in_use')
    expect(fault.message).toBe(`Port ${port} on 127.0.0.1 cannot be used: another program listens on it.`)
  })

  test('an address that is not this machine’s is named', async () => {
    const starting = edgeUnderTest({ listen: { address: '203.0.113.1', port: 0 } })
    await expect(starting).rejects.toMatchObject({
      code: 'port_in_use',
      message: 'Port 0 on 203.0.113.1 cannot be used: this machine does not have that address.',
    })
  })

  test('time limits need not be whole, nor in order', async () => {
    const { edge, ask } = await edgeUnderTest({ headersTimeoutMs: 90_000.5, requestTimeoutMs: 30_000.25 })
    edge.serve([upstream('admin')])
    expect((await ask('admin.example.com')).status).toBe(200)
  })
})

test('a stop answers what is under way and takes nothing new', async () => {
  const { edge, connect: connectTo } = await edgeUnderTest()
  const held: (() => void)[] = []
  edge.serve([upstream('admin', (_request, response) => void held.push(() => response.end('done')))])
  const client = await connectTo('GET / HTTP/1.1\r\nHost: admin.example.com\r\n\r\n')
  await until('the request is under way', () => held.length === 1)
  edge.beginStop()
  const stopped = edge.stop(60_000)
  const [error] = await once(connect({ port: edge.port, host: '127.0.0.1' }), 'error')
  expect(error.code).toBe('ECONNREFUSED')
  held[0]?.()
  expect(await stopped).toEqual({ cutOff: 0 })
  await client.ended()
  expect(client.received()).toMatch(/connection: close/i)
  expect(client.received()).toMatch(/done/)
})
