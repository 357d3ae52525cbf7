import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ask, askRunning } from './client.ts'

/** A server that tells what it was asked. */
async function echo(): Promise<number> {
  const server = createServer((request, response) => {
    const { host, authorization } = request.headers
    response.end(JSON.stringify({ host, authorization, path: request.url }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

test('a name under localhost is this machine, whatever the resolver says', async () => {
  const port = await echo()
  const { body } = await ask(`http://admin.made-up.localhost:${port}/x`)
  expect(body).toEqual({ host: `admin.made-up.localhost:${port}`, path: '/x' })
})

test('what runs on a home is asked at its address, under its own domain, with the token', async () => {
  const port = await echo()
  const running = { pid: 1, address: '127.0.0.1', port, domain: 'example.invalid', started_at: '' }
  const { body } = await askRunning(running, 'admin', '/api/session', 'qd_operator_x')
  expect(body).toEqual({
    host: `admin.example.invalid:${port}`,
    authorization: 'Bearer qd_operator_x',
    path: '/api/session',
  })
})

test('who does not answer is named', async () => {
  await expect(ask('http://admin.localhost:1/')).rejects.toMatchObject({
    code: 'control_unreachable',
    message: 'http://admin.localhost:1 does not answer (ECONNREFUSED).',
  })
})
