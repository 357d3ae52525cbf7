/** The edge for tests: on a free port, spoken to in bytes over real sockets. */
import { once } from 'node:events'
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect, type Server as NetServer, type Socket } from 'node:net'
import type { Problem } from '@quarterdeck/contract'
import { memoryLog, temporaryDirectory, until } from '@quarterdeck/testing'
import { onTestFinished } from 'vitest'
import { type Edge, type EdgeConfig, start, type Upstream } from './main.ts'
import type { Target } from './project-route.ts'

export interface Reply {
  status: number
  /** By name in lower case. */
  headers: Record<string, string>
  body: string
}

/** One connection. */
export interface Client {
  readonly socket: Socket
  write(bytes: string | Uint8Array): void
  received(): string
  /** Whole answers so far, in order. */
  replies(): Reply[]
  /** When so many answers have come. */
  reply(count?: number): Promise<Reply>
  /** When the edge has said that it will send no more. */
  ended(): Promise<void>
}

export interface EdgeUnderTest {
  edge: Edge
  log: ReturnType<typeof memoryLog>
  connect(bytes?: string | Uint8Array, address?: string): Promise<Client>
  /** One request on a connection of its own. */
  ask(
    host: string,
    path?: string,
    more?: { method?: string; headers?: Record<string, string> },
  ): Promise<Reply>
}

export async function edgeUnderTest(change: Partial<EdgeConfig> = {}): Promise<EdgeUnderTest> {
  const log = memoryLog()
  const edge = await start({
    listen: { address: '127.0.0.1', port: 0 },
    domain: 'example.com',
    trustedProxies: [],
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 60_000,
    root: temporaryDirectory(),
    log: log.log,
    url: (port, host) => `http://${host === undefined ? '' : `${host}.`}example.com:${port}`,
    ...change,
  })
  onTestFinished(async () => void (await edge.stop(0)))

  const connectTo = async (bytes: string | Uint8Array = '', address = '127.0.0.1') => {
    const client = clientOf(connect({ port: edge.port, host: address, allowHalfOpen: true }))
    onTestFinished(() => void client.socket.destroy())
    await once(client.socket, 'connect')
    client.write(bytes)
    return client
  }
  return {
    edge,
    log,
    connect: connectTo,
    async ask(host, path = '/', { method = 'GET', headers = {} } = {}) {
      const lines = Object.entries({ host, connection: 'close', ...headers }).map(
        ([name, value]) => `${name}: ${value}`,
      )
      const client = await connectTo(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
      await client.ended()
      return parse(client.received(), method)[0]!
    },
  }
}

/** An upstream that answers with its name, unless it is told otherwise. */
export const upstream = (
  name: string,
  handle: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) =>
    void response.end(name),
  more: Partial<Upstream> = {},
): Upstream => ({ name, title: name, purpose: `Tests ${name}.`, ready: async () => true, handle, ...more })

/** A project's web process. */
export interface Service {
  readonly server: Server
  readonly target: Target
  /** Connections so far. */
  connections(): number
}

export async function service(handle: RequestListener): Promise<Service> {
  const server = createServer({ keepAliveTimeout: 60_000 }, handle)
  let connections = 0
  server.on('connection', () => connections++)
  onTestFinished(() => void server.closeAllConnections())
  return { server, target: await targetOf(server), connections: () => connections }
}

/** Where a server listens, from now to the end of the test. */
export async function targetOf(server: NetServer): Promise<Target> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return { address: '127.0.0.1', port: (server.address() as AddressInfo).port }
}

/** An edge with one project, hello, that such a service runs. */
export async function edgeWithProject(handle: RequestListener, change: Partial<EdgeConfig> = {}) {
  const [under, hello] = [await edgeUnderTest(change), await service(handle)]
  under.edge.route([{ name: 'hello', target: hello.target }])
  return { ...under, hello }
}

export interface Question {
  method?: string
  path?: string
  headers?: Record<string, string>
}

/** A request to the project hello on a connection of its own; whoever asks writes and ends it. */
export function asking(
  edge: Edge,
  { method = 'GET', path = '/', headers = {} }: Question = {},
): ClientRequest {
  const options = { host: '127.0.0.1', port: edge.port, agent: false, method, path } as const
  const outgoing = request({ ...options, headers: { host: 'hello.example.com', ...headers } })
  outgoing.on('error', () => {})
  onTestFinished(() => void outgoing.destroy())
  return outgoing
}

export const answerTo = async (outgoing: ClientRequest): Promise<IncomingMessage> =>
  (await once(outgoing, 'response'))[0]

export const textOf = async (incoming: IncomingMessage): Promise<string> =>
  (await incoming.setEncoding('utf8').toArray()).join('')

export const problemIn = ({ body }: Reply): Problem => JSON.parse(body)

function clientOf(socket: Socket): Client {
  let text = ''
  let ended = false
  socket.setEncoding('latin1')
  socket.on('data', chunk => {
    text += chunk
  })
  socket.on('end', () => {
    ended = true
  })
  socket.on('error', () => {})
  const replies = () => parse(text)
  return {
    socket,
    write: bytes => void socket.write(bytes),
    received: () => text,
    replies,
    reply: (count = 1) => until(`${count} answers have come`, () => replies()[count - 1]),
    ended: async () => void (await until('the edge has ended', () => ended || socket.closed)),
  }
}

function parse(text: string, method = 'GET'): Reply[] {
  const [, status, lines, rest] = text.match(/^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(.*?)\r\n\r\n(.*)$/s) ?? []
  if (status === undefined || lines === undefined || rest === undefined) return []
  const headers = Object.fromEntries(
    lines.split('\r\n').map(line => {
      const [name = '', ...value] = line.split(': ')
      return [name.toLowerCase(), value.join(': ')]
    }),
  )
  const length = method === 'HEAD' ? 0 : Number(headers['content-length'] ?? 0)
  if (rest.length < length) return []
  return [
    { status: Number(status), headers, body: Buffer.from(rest.slice(0, length), 'latin1').toString() },
    ...parse(rest.slice(length)),
  ]
}
