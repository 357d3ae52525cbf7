/** Puts a route on a host: the request is checked against its operation, the store opened as the route needs it. */
import { once as eventOnce } from 'node:events'
import { Fault, type Operation } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Store } from '#store'
import type { App } from './app.ts'
import { nobody } from './caller.ts'
import { faultOf } from './fault-of.ts'
import { keptReply, once, type Reply } from './idempotency.ts'
import { Published } from './published.ts'
import type { Call, Chunks, RawCall, Response, Route } from './route.ts'
import type { UnprovenBodies } from './unproven-bodies.ts'

const heartbeatMs = 15_000

export interface MountOptions {
  store: Store
  clock: Clock
  stopping: AbortSignal
  log: Logger
  bodies: UnprovenBodies
}

export function mount(app: App, route: Route, options: MountOptions): void {
  if (route.kind === 'raw') app.register(async scope => mountIn(unparsed(scope, options), route, options))
  else mountIn(app, route, options)
}

/** In this scope bodies stay the bytes that came. */
function unparsed(scope: App, { bodies }: MountOptions): App {
  scope.removeAllContentTypeParsers()
  scope.addHook('preParsing', async (request, reply) => {
    reply.raw.once('close', () => bodies.release(request.raw))
  })
  scope.addContentTypeParser('*', async (request: FastifyRequest) => {
    const { bodyLimit, config } = request.routeOptions
    try {
      return await bodies.read(request.raw, bodyLimit)
    } catch (error) {
      const isTooLarge = faultOf(error).code === 'body_too_large'
      if (!isTooLarge) config.guard?.unread?.(String(request.headers['x-forwarded-for'] ?? ''))
      throw error
    }
  })
  return scope
}

function mountIn(app: App, route: Route, options: MountOptions): void {
  const { method, path, bodyBytes } = route.operation
  app.route({
    method,
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    // A stream has no meaning for HEAD.
    exposeHeadRoute: method === 'GET' && route.kind !== 'stream',
    ...(bodyBytes !== undefined && { bodyLimit: bodyBytes }),
    ...(route.guard && { config: { guard: route.guard } }),
    handler: (request, reply) => handle(route, request, reply, options),
  })
}

async function handle(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: MountOptions,
): Promise<FastifyReply> {
  if (route.kind === 'raw') return send(reply, await route.run(rawCallOf(request)))
  if (route.kind === 'serve') return sendPublished(route, request, reply)
  const call = callOf(route.operation, request)
  if (route.kind === 'stream') return sendStream(route, call, reply, options)
  if (route.kind === 'respond') return sendResponse(route, call, reply, options)
  const done = await answerOf(route, call, request, options)
  reply.code(done.status).header('cache-control', 'no-store')
  if (done.replayed) reply.header('idempotency-replayed', 'true')
  if (done.body === null) return reply.send()
  return reply.type('application/json; charset=utf-8').send(done.body)
}

async function sendPublished(
  route: Serving,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const mark = request.url.indexOf('?')
  const path = mark < 0 ? request.url : request.url.slice(0, mark)
  const query = new URLSearchParams(mark < 0 ? '' : request.url.slice(mark))
  const found = await route.run({ path, query })
  if (!found) throw new Fault('not_found', `There is nothing at ${path}.`)
  if (!(found instanceof Published)) return reply.redirect(found.location, found.temporary ? 302 : 301)
  reply.hijack()
  // What every answer has; its own headers go before them.
  reply.raw.setHeaders(new Map(Object.entries(reply.getHeaders()) as [string, string][]))
  found.serve(request.raw, reply.raw)
  return reply
}

const rawCallOf = (request: FastifyRequest): RawCall => ({
  params: request.params as Record<string, string>,
  query: new URLSearchParams(request.url.split('?', 2)[1]),
  headers: request.headers,
  body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
  from: String(request.headers['x-forwarded-for'] ?? ''),
  requestId: request.id,
})

type Answering = Extract<Route, { kind: 'answer' | 'read' | 'write' }>
type Serving = Extract<Route, { kind: 'serve' }>
type Responding = Extract<Route, { kind: 'respond' }>

async function sendResponse(
  route: Responding,
  call: Call,
  reply: FastifyReply,
  options: MountOptions,
): Promise<FastifyReply> {
  return send(reply, await route.run(call, () => endOf(reply, options)))
}

function send(reply: FastifyReply, { status, headers = {}, value }: Response): FastifyReply {
  reply.code(status).header('cache-control', 'no-store').headers(headers)
  if (headers['content-type'] !== undefined) return reply.send(value)
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(value))
}

/** When the reader is gone or we stop. */
function endOf(reply: FastifyReply, { stopping }: MountOptions): AbortSignal {
  const gone = new AbortController()
  // With a reason of its own: the usual one is an error with a stack, for every request.
  reply.raw.once('close', () => gone.abort('gone'))
  if (reply.raw.destroyed) gone.abort('gone')
  return AbortSignal.any([gone.signal, stopping])
}

async function answerOf(
  route: Answering,
  call: Call,
  request: FastifyRequest,
  options: MountOptions,
): Promise<Reply & { replayed?: boolean }> {
  if (route.kind === 'answer') return replyOf(route.operation, await route.run(call))
  if (route.kind === 'read') {
    return replyOf(route.operation, await options.store.read(transaction => route.run(call, transaction)))
  }
  return writeOnce(route, call, request, options)
}

/** A repetition is found before anything is prepared, and once more, for good, in the transaction. */
async function writeOnce(
  route: Extract<Route, { kind: 'write' }>,
  call: Call,
  { method, url: path, body }: FastifyRequest,
  { store, clock, log }: MountOptions,
): Promise<Reply & { replayed?: boolean }> {
  const { identity, idempotencyKey: key } = call
  const keyed = key === undefined ? undefined : { identity, key, method, path, body }
  if (keyed && route.prepare) {
    const kept = await store.read(transaction => keptReply(transaction, keyed, clock))
    if (kept) return { ...kept, replayed: true }
  }
  const prepared = await route.prepare?.(call)
  let answer: unknown
  const done: Reply & { replayed?: boolean } = await store.write(transaction => {
    const work = async () => {
      answer = await route.run(call, transaction, prepared)
      return replyOf(route.operation, answer)
    }
    return keyed ? once(transaction, keyed, clock, work) : work()
  })
  if (!done.replayed) {
    await route
      .afterwards?.(call, answer)
      .catch(error => log.warn({ err: error, path }, 'what follows a write failed'))
  }
  return done
}

const replyOf = ({ answer }: Operation, value: unknown): Reply => ({
  status: answer.status,
  body: answer.status === 204 ? null : JSON.stringify(value),
})

function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,200}$/.test(key)) return key
  throw new Fault('invalid_fields', 'The Idempotency-Key is not acceptable.', {
    fields: [{ field: 'Idempotency-Key', message: 'must be 1 to 200 visible ASCII characters' }],
  })
}

function callOf(operation: Operation, request: FastifyRequest): Call {
  if (operation.body && !operation.bodyOptional && request.body === undefined) {
    throw new Fault('unsupported_media_type', 'A body of type application/json is needed, and none was sent.')
  }
  const parts = {
    params: check(operation.params, request.params),
    query: check(operation.query, request.query),
    headers: check(operation.headers, request.headers),
    body: check(operation.body?.schema, request.body ?? (operation.bodyOptional ? {} : undefined)),
  }
  const identity = request.identity ?? nobody
  const from = request.headers['x-forwarded-for'] as string | undefined
  const origin = { by: `${identity.role}:${identity.name ?? ''}`, from: from ?? null, requestId: request.id }
  return { ...parts, identity, origin, idempotencyKey: idempotencyKey(request) } as Call
}

const check = (schema: z.ZodType | undefined, value: unknown): unknown => schema && checked(schema, value)

/** The value as its schema gives it; a fault that names each wrong field. */
export function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const fields = result.error.issues.map(({ path, message }) => ({
    field: path.join('.') || 'body',
    message,
  }))
  const named = fields.map(({ field }) => field).join(', ')
  throw new Fault('invalid_fields', `Not acceptable: ${named}.`, { fields })
}

type Streaming = Extract<Route, { kind: 'stream' }>

/** Sends until the reader or we have had enough. A slow reader is waited for; nothing is piled up for it. */
async function sendStream(
  route: Streaming,
  call: Call,
  reply: FastifyReply,
  options: MountOptions,
): Promise<FastifyReply> {
  const ended = endOf(reply, options)
  const { type, chunks } = await route.run(call, ended)
  reply.hijack()
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  // Keeps proxies from giving up on a quiet stream.
  const heartbeat = setInterval(() => {
    if (type === 'text/event-stream' && reply.raw.writableLength === 0) reply.raw.write(':\n\n')
  }, heartbeatMs)
  await pump(chunks, reply, ended).catch(error => {
    options.log.error({ err: error }, 'a stream broke off')
    // So that what is cut off does not look whole.
    reply.raw.destroy()
  })
  clearInterval(heartbeat)
  reply.raw.end()
  return reply
}

async function pump(chunks: Chunks, reply: FastifyReply, ended: AbortSignal): Promise<void> {
  for await (const chunk of chunks) {
    if (ended.aborted) return
    if (!reply.raw.write(chunk)) await eventOnce(reply.raw, 'drain', { signal: ended }).catch(() => undefined)
  }
}
