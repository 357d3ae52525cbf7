/** The server on the public port, before anything is known of what it serves. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Fault } from '@quarterdeck/contract'

export interface ServerLimits {
  headersTimeoutMs: number
  requestTimeoutMs: number
}

/** `shouldUpgrade` says whether a request that asks to change the protocol may; others are requests like any. */
export function publicServer(
  { headersTimeoutMs, requestTimeoutMs }: ServerLimits,
  shouldUpgrade: (request: IncomingMessage) => boolean,
): Server {
  // Node wants whole milliseconds, and for the headers no longer than for the request that they are part of.
  const requestTimeout = Math.ceil(requestTimeoutMs)
  const headersTimeout = Math.min(Math.ceil(headersTimeoutMs), requestTimeout)
  return createServer({
    headersTimeout,
    requestTimeout,
    connectionsCheckingInterval: Math.min(1000, headersTimeout),
    keepAliveTimeout: 75_000,
    // A missing Host is answered by the catalogue, like everything else.
    requireHostHeader: false,
    shouldUpgradeCallback: shouldUpgrade,
  })
}

const reasons: Record<string, string> = {
  EADDRINUSE: 'another program listens on it',
  EACCES: 'this user may not use it (ports below 1024 need extra rights)',
  EADDRNOTAVAIL: 'this machine does not have that address',
}

/** Which port it became. */
export async function listenOn(
  server: Server,
  { address, port }: { address: string; port: number },
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host: address, port }, resolve)
  try {
    await promise
    server.off('error', reject)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new Fault('port_in_use', `Port ${port} on ${address} cannot be used: ${reasons[code] ?? code}.`, {
      cause: error,
    })
  }
  return (server.address() as AddressInfo).port
}
