import { setTimeout as wait } from 'node:timers/promises'
import { quarterdeck } from '@quarterdeck/kit/fastify'
import Fastify from 'fastify'

const app = Fastify()
await app.register(quarterdeck, { name: process.env.NAME ?? 'hello' })
app.get('/', () => 'hello\n')
app.get<{ Params: { id: string } }>('/items/:id', ({ params }) => ({ id: params.id }))
app.get<{ Querystring: { s?: string } }>('/slow', async ({ query }) => {
  await wait(Number(query.s ?? 1) * 1000)
  return 'slow\n'
})
await app.ready()
await app.quarterdeck.listen(app.server)
