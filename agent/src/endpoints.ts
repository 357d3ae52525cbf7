/**
 * The agent as an API of the environment: /healthz, /readyz, /version and /metrics over HTTP, and nothing else, ever. It runs as
 * root: no body is read, and what a caller can take of it is bounded.
 */
import { randomUUIDv7 } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Fault, problemOf, problemType } from '@quarterdeck/contract'
import { gracefulServer, isKitPath, type Kit } from '@quarterdeck/kit'
import { quarterdeck } from '@quarterdeck/kit/node'
import type { Logger } from 'pino'

const mostConnections = 256
/** One who opens many leaves enough to the others. */
const mostPerAddress = 64
/** A probe is a few lines. */
const longestHead = 8 * 1024
/** For the head of a request; whoever has said nothing by then is cut off too. */
const headLimitMs = 5000
/** Longer than from one probe to the next. */
const keptOpenMs = 75_000
const stopLimitMs = 1000

export interface Endpoints {
  /** Null: there is no port to be had, and nobody can ask. */
  readonly port: number | null
  /** Not ready from now on. */
  beginStop(): void
  stop(): Promise<void>
}

export interface EndpointsOptions {
  /** Another program's port is left to it: a free one is taken then. */
  port: number
  log: Logger
}

/** The agent works whether or not it can be asked: what is in the way is in the log. */
export async function serveEndpoints(kit: Kit, { port, log }: EndpointsOptions): Promise<Endpoints> {
  const { server, stop } = boundedServer(quarterdeck({ kit }, refuse))
  const listening = await listenOn(server, port, log)
  server.on('error', error => log.error({ err: error }, 'the agent’s endpoints failed'))
  return { port: listening, beginStop: () => kit.beginStop(), stop }
}

function boundedServer(listener: RequestListener): { server: Server; stop(): Promise<void> } {
  const server = createServer(
    {
      maxHeaderSize: longestHead,
      headersTimeout: headLimitMs,
      requestTimeout: headLimitMs,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: keptOpenMs,
    },
    (request, response) => {
      // What it sends is not read: the connection ends with the answer.
      if (hasBody(request)) response.setHeader('connection', 'close')
      listener(request, response)
    },
  )
  server.maxConnections = mostConnections
  server.on('connection', limitPerAddress())
  // Nobody waits for a `100 Continue` that would ask for a body.
  server.on('checkContinue', (request, response) => server.emit('request', request, response))
  const graceful = gracefulServer(server)
  return {
    server,
    async stop() {
      if (server.listening) await graceful.stop(stopLimitMs)
    },
  }
}

const hasBody = ({ headers }: IncomingMessage) =>
  'transfer-encoding' in headers || (headers['content-length'] ?? '0') !== '0'

function limitPerAddress(): (socket: Socket) => void {
  const open = new Map<string, number>()
  return socket => {
    const address = socket.remoteAddress ?? ''
    const count = (open.get(address) ?? 0) + 1
    if (count > mostPerAddress) return void socket.destroy()
    open.set(address, count)
    socket.once('close', () => {
      const left = open.get(address)! - 1
      if (left > 0) open.set(address, left)
      else open.delete(address)
    })
  }
}

/** Which port it became. */
async function listenOn(server: Server, port: number, log: Logger): Promise<number | null> {
  const error = await tryListen(server, port)
  if (!error) return (server.address() as AddressInfo).port
  if (port === 0) {
    log.error({ err: error }, 'the agent cannot listen: nobody can ask how it is')
    return null
  }
  const free = await listenOn(server, 0, log)
  log.warn(
    { wanted: port, port: free, reason: error.code },
    'the agent’s port cannot be used: it takes a free one',
  )
  return free
}

async function tryListen(server: Server, port: number): Promise<NodeJS.ErrnoException | undefined> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.ErrnoException | undefined>()
  const done = () => resolve(undefined)
  server.once('error', resolve).listen({ host: '0.0.0.0', port }, done)
  const error = await promise
  server.off('error', resolve).off('listening', done)
  return error
}

/** No handbook is known here that its type could name. */
const refuse: RequestListener = (request, response) => {
  const requestId = randomUUIDv7()
  const problem = { ...problemOf(faultOf(request), '', requestId), type: 'about:blank' }
  const body = JSON.stringify(problem)
  response
    .writeHead(problem.status, {
      'content-type': problemType,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(problem.status === 405 && { allow: 'GET, HEAD' }),
    })
    .end(body)
}

function faultOf({ url = '/' }: IncomingMessage): Fault {
  return isKitPath(url.split('?', 1)[0]!)
    ? new Fault('method_not_allowed', 'The agent’s endpoints take GET and HEAD alone.')
    : new Fault('not_found', 'The agent answers /healthz, /readyz, /version and /metrics, and nothing else.')
}
