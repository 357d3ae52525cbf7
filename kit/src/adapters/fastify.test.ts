import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import type { Kit } from '../kit.ts'
import { quarterdeck } from './fastify.ts'
import { adapterSuite } from './suite.ts'

adapterSuite('Fastify', async kit => ({
  port: await listening(kit),
  itemTemplate: '/items/:id',
  itemPath: '/items/7',
}))

async function listening(kit: Kit): Promise<number> {
  const app = Fastify()
  await app.register(quarterdeck, { kit })
  app.get('/items/:id', () => 'an item')
  app.get('/wait', () => new Promise(() => {}))
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(async () => {
    app.server.closeAllConnections()
    await app.close()
  })
  return (app.server.address() as AddressInfo).port
}

test('the plugin makes a kit from options alone', async () => {
  const app = Fastify()
  await app.register(quarterdeck, { name: 'made here', root: '/' })
  const reply = await app.inject('/version')
  expect(reply.json()).toMatchObject({ name: 'made here' })
})

test('what a later hook refuses is counted, by its route', async () => {
  const app = Fastify()
  await app.register(quarterdeck, { name: 'hello' })
  app.addHook('onRequest', async (request, reply) => {
    if (request.url.startsWith('/secret')) return reply.code(401).send()
  })
  app.get('/secret', () => 'secret')
  app.get('/secrets/:id', () => 'secret')
  for (const path of ['/secret', '/secrets/7']) expect((await app.inject(path)).statusCode).toBe(401)
  const { body } = await app.inject('/metrics')
  expect(body).toContain('{method="GET",endpoint="/secret"} 1\n')
  expect(body).toContain('{method="GET",endpoint="/secrets/:id"} 1\n')
})

test('routes are counted by template wherever and whenever they were mounted', async () => {
  const app = Fastify()
  app.get('/early', () => '')
  await app.register(quarterdeck, { name: 'hello' })
  app.get('/plain', () => '')
  app.post('/:kind', () => '')
  app.get('/one-host', { constraints: { host: 'a.test' } }, () => '')
  await app.register(async inner => void inner.get('/late/:id', () => ''), { prefix: '/v1' })
  const asked = ['GET /early', 'GET /plain?a=1', 'POST /plain', 'GET /v1/late/7', 'GET /one-host']
  for (const line of asked) {
    const [method, url] = line.split(' ') as ['GET' | 'POST', string]
    await app.inject({ method, url, headers: { host: 'b.test' } })
  }
  const { body } = await app.inject('/metrics')
  expect([...body.matchAll(/^http_requests_total(.+)$/gm)].map(([, sample]) => sample)).toEqual([
    '{method="GET",endpoint="/early"} 1',
    '{method="GET",endpoint="/plain"} 1',
    '{method="POST",endpoint="/:kind"} 1',
    '{method="GET",endpoint="/v1/late/:id"} 1',
    '{method="GET",endpoint="unmatched"} 1',
  ])
})

test('what hooks add to every answer is on the kit’s answers too', async () => {
  const app = Fastify()
  await app.register(quarterdeck, { name: 'hello' })
  app.addHook('onRequest', async (_request, reply) => void reply.header('access-control-allow-origin', '*'))
  const { headers, body } = await app.inject('/healthz')
  expect([headers['access-control-allow-origin'], body]).toEqual(['*', '{"ok":true}'])
})
