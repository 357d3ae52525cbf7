/** Opens a connection to a server, plain or with TLS, and tells a listener what happens on it. */
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'

export interface Server {
  /** A name or an address. */
  readonly host: string
  readonly port: number
  readonly isTls: boolean
  /** As the request names it; without it, host and port. */
  readonly authority?: string
  /** What else is said with every request; checked before, so that none can end its line. */
  readonly headers?: Readonly<Record<string, string>>
  /** How its name becomes an address; without it, as the system does. */
  readonly lookup?: LookupFunction
  /** Who signs its certificate (PEM); without it, whom Node or this machine trusts. */
  readonly ca?: string
}

/** Whether what one says is what the other would say; how the name is looked up makes no other server of it. */
export const isSameServer = (a: Server, b: Server): boolean =>
  a.host === b.host &&
  a.port === b.port &&
  a.isTls === b.isTls &&
  a.authority === b.authority &&
  isDeepStrictEqual(a.headers, b.headers) &&
  a.ca === b.ca

/** As a request names the server. */
export const authorityOf = ({ host, port, authority }: Server): string =>
  authority ?? `${isIP(host) === 6 ? `[${host}]` : host}:${port}`

export interface SocketListener {
  /** Its name has an address. */
  onAddress(socket: Socket): void
  onOpen(socket: Socket): void
  /** The bytes are only good until it returns. */
  onBytes(socket: Socket, bytes: Buffer): void
  /** The other side has nothing more to say. */
  onEnd(socket: Socket): void
  onError(socket: Socket, error: Error): void
  /** Also of a certificate that is refused. */
  onCertificate(ends: Date | undefined): void
}

/** All plain connections are read into the same memory: each is done with it before the next is read. */
const shared = Buffer.allocUnsafeSlow(64 * 1024)

/** `attemptMs` is what one of several addresses of a name gets before the next is tried. */
export function openSocket(server: Server, listener: SocketListener, attemptMs: number): Socket {
  const { host, port, lookup } = server
  const options = {
    host,
    port,
    noDelay: true,
    autoSelectFamilyAttemptTimeout: Math.max(10, Math.round(attemptMs)),
    ...(lookup && { lookup }),
  }
  const socket = server.isTls ? openTls(server, options, listener) : openTcp(options, listener)
  socket.once('lookup', error => error || listener.onAddress(socket))
  socket.on('error', error => listener.onError(socket, error))
  socket.on('end', () => listener.onEnd(socket))
  socket.on('close', () => listener.onEnd(socket))
  return socket
}

type Options = { host: string; port: number; lookup?: LookupFunction }

function openTcp(options: Options, listener: SocketListener): Socket {
  const callback = (length: number, bytes: Uint8Array) => {
    listener.onBytes(socket, (bytes as Buffer).subarray(0, length))
    return true
  }
  const socket = connectTcp({ ...options, onread: { buffer: shared, callback } })
  socket.once('connect', () => listener.onOpen(socket))
  return socket
}

/**
 * The certificate is judged by Node, but acted upon here, before anything is sent: Node would throw a bad one away, and then nobody
 * could tell when it ends.
 */
function openTls(server: Server, options: Options, listener: SocketListener): Socket {
  const name = nameOf(server)
  const socket = connectTls({
    ...options,
    ...(isIP(name) === 0 && { servername: name }),
    secureContext: contextOf(server.ca),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: false,
  })
  socket.once('secureConnect', () => {
    const ends = socket.getPeerX509Certificate()?.validToDate
    // A certificate may say anything, also what is no time.
    listener.onCertificate(Number.isNaN(ends?.getTime()) ? undefined : ends)
    if (socket.authorized) return listener.onOpen(socket)
    const code = `${socket.authorizationError}`
    socket.destroy(Object.assign(new Error(code), { code }))
  })
  socket.on('data', bytes => listener.onBytes(socket, bytes))
  return socket
}

/** Whom the certificate has to be for: who is asked, wherever it is reached. */
function nameOf({ host, authority }: Server): string {
  return authority === undefined ? host : authority.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
}

/** Making one takes a tenth of a second, so each is made once. */
const contexts = new Map<string | undefined, SecureContext>()

function contextOf(ca: string | undefined): SecureContext {
  const made = contexts.get(ca)
  if (made) return made
  const context = createSecureContext({
    ca: ca ?? [...new Set([...getCACertificates('default'), ...getCACertificates('system')])],
  })
  contexts.set(ca, context)
  return context
}
