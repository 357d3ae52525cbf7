import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { Kit } from '../kit.ts'
import { quarterdeck } from './hono.ts'
import { adapterSuite } from './suite.ts'
import { serveForTest } from './under-test.ts'

adapterSuite('Hono', async kit => {
  const app = new Hono()
  quarterdeck(app, { kit })
  app.get('/items/:id', context => context.text('an item'))
  app.get('/wait', () => new Promise<Response>(() => {}))
  const server = createAdaptorServer(app) as Server
  return { port: await serveForTest(server), itemTemplate: '/items/:id', itemPath: '/items/7' }
})

test('where there is no Node underneath, requests are counted when they were answered', async () => {
  const kit = new Kit({ name: 'hello' })
  const app = new Hono()
  quarterdeck(app, { kit })
  app.route(
    '/v1',
    new Hono().get('/items/:id', context => context.text('an item')),
  )
  expect(await (await app.request('/v1/items/7')).text()).toBe('an item')
  expect((await app.request('/nowhere')).status).toBe(404)
  const { body } = await kit.metrics.render(undefined)
  expect(body).toContain('{method="GET",endpoint="/v1/items/:id"} 1\n')
  expect(body).toContain('{method="GET",endpoint="unmatched"} 1\n')
})

test('middleware for everything is no route, and does not hide one', async () => {
  const app = new Hono()
  const kit = quarterdeck(app, { name: 'hello' })
  app.use('*', async (_context, next) => next())
  app.get('/items/:id', context => context.text('an item'))
  for (const path of ['/items/7', '/nowhere/1', '/nowhere/2']) await app.request(path)
  const { body } = await kit.metrics.render(undefined)
  expect([...body.matchAll(/^http_requests_total(.+)$/gm)].map(([, sample]) => sample)).toEqual([
    '{method="GET",endpoint="/items/:id"} 1',
    '{method="GET",endpoint="unmatched"} 2',
  ])
})
