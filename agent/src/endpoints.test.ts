/** What the agent answers over HTTP, and how little else anybody gets of it. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { Kit } from '@quarterdeck/kit'
import { memoryLog, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { serveEndpoints } from './endpoints.ts'

async function served(port = 0) {
  const log = memoryLog()
  const endpoints = await serveEndpoints(new Kit({ name: 'agent' }), { port, log: log.log })
  onTestFinished(() => endpoints.stop())
  const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${endpoints.port}${path}`, init)
  return { endpoints, log, ask, port: endpoints.port! }
}

function dial(port: number, from = '127.0.0.1'): Socket {
  const socket = connect({ host: '127.0.0.1', port, localAddress: from })
  socket.on('error', () => undefined).setEncoding('latin1')
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Everything that it says until it closes. */
async function said(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', chunk => (text += chunk))
  await once(socket, 'close')
  return text
}

test('it answers the four endpoints, to GET and to HEAD', async () => {
  const { ask } = await served()
  expect(await (await ask('/healthz')).json()).toEqual({ ok: true })
  expect(await (await ask('/readyz')).json()).toEqual({ ok: true })
  expect(await (await ask('/version')).json()).toEqual({ name: 'agent', sha: expect.any(String) })
  expect(await (await ask('/metrics')).text()).toContain('process_resident_memory_bytes')
  const head = await ask('/version', { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
})

test.each([
  ['GET', '/', 404, 'not_found'],
  ['GET', '/healthz/', 404, 'not_found'],
  ['GET', '/__proto__', 404, 'not_found'],
  ['POST', '/api/deploy/hello', 404, 'not_found'],
  ['POST', '/healthz', 405, 'method_not_allowed'],
  ['DELETE', '/metrics', 405, 'method_not_allowed'],
])('%s %s is a problem with status %i', async (method, path, status, code) => {
  const { ask } = await served()
  const answer = await ask(path, { method })
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toMatch('application/problem+json')
  expect(await answer.json()).toMatchObject({ code, status, type: 'about:blank' })
})

test('scanners cannot make its metrics grow', async () => {
  const { ask } = await served()
  for (let i = 0; i < 20; i++) await ask(`/scan-${i}`)
  const lines = (await (await ask('/metrics')).text()).match(/^http_requests_total\{.*$/gm)
  expect(lines).toHaveLength(1)
  expect(lines![0]).toMatch(/ 20$/)
})

test('a body is not read: the answer comes at once, and the connection ends with it', async () => {
  const { port } = await served()
  const socket = dial(port)
  socket.write(
    'GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\nExpect: 100-continue\r\n\r\n',
  )
  const text = await said(socket)
  expect(text).toMatch(/^HTTP\/1.1 200 OK/)
  expect(text.toLowerCase()).toContain('connection: close')
})

test('heads that are too long, no HTTP, and CONNECT end the connection', async () => {
  const { port, ask } = await served()
  const long = dial(port)
  long.write(`GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(10_000)}\r\n\r\n`)
  expect(await said(long)).toMatch(/^HTTP\/1.1 431/)
  const other = dial(port)
  other.write('SSH-2.0-OpenSSH\r\n')
  expect(await said(other)).toMatch(/^HTTP\/1.1 400/)
  const tunnel = dial(port)
  tunnel.write('CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(await said(tunnel)).toBe('')
  expect((await ask('/healthz')).status).toBe(200)
})

test('one who opens many connections leaves enough to the others', async () => {
  const { port } = await served()
  const hogs = Array.from({ length: 80 }, () => dial(port, '127.0.0.3'))
  await until('the rest is cut off', () => hogs.filter(socket => socket.destroyed).length === 16)
  const other = dial(port)
  other.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  expect(await said(other)).toMatch(/^HTTP\/1.1 200/)
  hogs.find(socket => !socket.destroyed)!.destroy()
  await until('there is room again', async () => {
    const again = dial(port, '127.0.0.3')
    again.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    return (await said(again)).startsWith('HTTP/1.1 200')
  })
})

test('a port that another program has is left to it, and the log says so', async () => {
  const other = createServer().listen(0, '0.0.0.0')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { port: taken } = other.address() as { port: number }
  const { port, log, ask } = await served(taken)
  expect(port).not.toBe(taken)
  expect((await ask('/healthz')).status).toBe(200)
  expect(log.lines).toMatchObject([
    {
      msg: 'the agent’s port cannot be used: it takes a free one',
      wanted: taken,
      port,
      reason: 'EADDRINUSE',
    },
  ])
})

test('told to stop it is not ready at once, and then gone', async () => {
  const { endpoints, ask } = await served()
  endpoints.beginStop()
  expect((await ask('/readyz')).status).toBe(503)
  expect((await ask('/healthz')).status).toBe(200)
  await endpoints.stop()
  await expect(ask('/healthz')).rejects.toThrow()
})
