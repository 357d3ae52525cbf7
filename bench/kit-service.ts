/** A service on one framework, with or without the kit: `kit-service.ts FRAMEWORK with|without`. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { quarterdeck as onExpress } from '@quarterdeck/kit/express'
import { quarterdeck as onFastify } from '@quarterdeck/kit/fastify'
import { quarterdeck as onHono } from '@quarterdeck/kit/hono'
import { quarterdeck as onNode } from '@quarterdeck/kit/node'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'

const options = { name: 'hello' }

const services: Record<string, (kept: boolean) => Promise<Server>> = {
  async Fastify(kept) {
    const app = Fastify()
    if (kept) await app.register(onFastify, options)
    app.get('/items/:id', (_request, reply) => reply.send('an item'))
    await app.ready()
    return app.server
  },
  async Express(kept) {
    const app = express()
    if (kept) app.use(onExpress(options))
    app.get('/items/:id', (_request, response) => void response.send('an item'))
    return createServer(app)
  },
  async Hono(kept) {
    const app = new Hono()
    if (kept) onHono(app, options)
    app.get('/items/:id', context => context.text('an item'))
    return createAdaptorServer(app) as Server
  },
  async 'node:http'(kept) {
    const handler: RequestListener = (_request, response) => void response.end('an item')
    return createServer(kept ? onNode({ ...options, endpointOf: () => '/items/:id' }, handler) : handler)
  },
}

const [framework = '', kept] = process.argv.slice(2)
const server = await services[framework]!(kept === 'with')
server.listen(0, '127.0.0.1', () => process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`))
process.once('SIGTERM', () => process.exit())
