import type { Server } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { createAdaptorServer } from '@hono/node-server'
import { quarterdeck } from '@quarterdeck/kit/hono'
import { Hono } from 'hono'

const app = new Hono()
const kit = quarterdeck(app, { name: process.env.NAME ?? 'hello' })
app.get('/', context => context.text('hello\n'))
app.get('/items/:id', context => context.json({ id: context.req.param('id') }))
app.get('/slow', async context => {
  await wait(Number(context.req.query('s') ?? 1) * 1000)
  return context.text('slow\n')
})
await kit.listen(createAdaptorServer(app) as Server)
