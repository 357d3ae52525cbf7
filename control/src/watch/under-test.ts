/** Servers for tests to look at, well-behaved and not. They go when the test ends. */
import { once } from 'node:events'
import { createServer as createHttp, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface TestServer {
  readonly port: number
  readonly server: Server
  /** How many were taken so far. */
  connections(): number
}

/** Does with each connection what the test says. */
export async function rawServer(
  onConnection: (socket: Socket, count: number) => void,
  host = '127.0.0.1',
): Promise<TestServer> {
  return listening(createServer(), host, onConnection)
}

export async function httpServer(listener: RequestListener, host = '127.0.0.1'): Promise<TestServer> {
  return listening(createHttp(listener), host, () => undefined)
}

/** Takes connections and says nothing. */
export const hangingServer = (host?: string): Promise<TestServer> =>
  rawServer(socket => void socket.resume(), host)

export const answer = (body: string, more = ''): string =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`

export const pathsIn = (bytes: Buffer): string[] =>
  [...`${bytes}`.matchAll(/^GET (\S+)/gm)].map(([, path]) => path!)

async function listening(
  server: Server,
  host: string,
  onConnection: (socket: Socket, count: number) => void,
): Promise<TestServer> {
  const sockets = new Set<Socket>()
  let count = 0
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    onConnection(socket, ++count)
  })
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, server, connections: () => count }
}
