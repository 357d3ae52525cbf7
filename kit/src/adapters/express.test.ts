import { createServer } from 'node:http'
import { until } from '@quarterdeck/testing'
import express from 'express'
import { expect, test } from 'vitest'
import { Kit } from '../kit.ts'
import { quarterdeck } from './express.ts'
import { adapterSuite } from './suite.ts'
import { serveForTest } from './under-test.ts'

adapterSuite('Express', async kit => {
  const app = express()
  app.use(quarterdeck({ kit }))
  app.get('/items/:id', (_request, response) => void response.send('an item'))
  app.get('/wait', () => undefined)
  return { port: await serveForTest(createServer(app)), itemTemplate: '/items/:id', itemPath: '/items/7' }
})

test('routes of routers are counted by template, wherever the router is mounted', async () => {
  const kit = new Kit({ name: 'hello' })
  const app = express()
  app.use(quarterdeck({ kit }))
  const inner = express.Router()
  inner.get('/orders/:order', (_request, response) => void response.send('ok'))
  app.use('/v1/users/:user', inner)
  const port = await serveForTest(createServer(app))
  for (const user of ['7', '8', '019a8f5e-6c1b-7d3a-9f10-2b8c4d5e6f70']) {
    expect((await fetch(`http://127.0.0.1:${port}/v1/users/${user}/orders/1`)).status).toBe(200)
  }
  await until('one endpoint', async () =>
    (await kit.metrics.render(undefined)).body.includes('endpoint="/v1/users/:id/orders/:order"} 3\n'),
  )
})

test('an error of a later handler is counted under its route', async () => {
  const kit = new Kit({ name: 'hello' })
  const app = express()
  app.set('env', 'test') // Express prints errors elsewhere
  app.use(quarterdeck({ kit }))
  app.get('/broken', () => {
    throw new Error('broken')
  })
  const port = await serveForTest(createServer(app))
  expect((await fetch(`http://127.0.0.1:${port}/broken`)).status).toBe(500)
  await until('it is counted', async () =>
    (await kit.metrics.render(undefined)).body.includes('endpoint="/broken"} 1\n'),
  )
})
