/**
 * Where a service listens and how it ends: on the socket that systemd passes, else on all interfaces at PORT; at a
 * signal to stop it is not ready at once, finishes what is under way, and ends.
 */
import type { Server } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { gracefulServer } from './graceful-stop.ts'
import type { Kit } from './kit.ts'

/** The first descriptor that systemd passes. https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html */
const firstPassedFd = 3
const defaultPort = 8000
/** Node's own, and ours in its place: whoever watches a service, or forwards to it, comes again after a longer while than that. */
const [usualKeptMs, keptMs] = [5000, 72_000]

export interface ListenOptions {
  /** Goes before PORT. */
  port?: number
  /** Goes before HOST. Default: all interfaces. */
  host?: string
  /** How long requests under way may take after a signal to stop, before they are cut off. Default: 10 s. */
  stopLimitMs?: number
  /** What else is to be closed, after the last request. */
  onStop?: () => unknown
}

export interface Listening {
  /** Null on a passed socket that has none. */
  readonly port: number | null
  /** Ends it as a signal would, but leaves the process. */
  stop(): Promise<{ cutOff: number }>
}

export type Target = { fd: number } | { host: string; port: number }

/** A passed socket is meant for one process alone, and so is what tells of it. */
export function listenTarget(options: ListenOptions, env: NodeJS.ProcessEnv = process.env): Target {
  const passed = env.LISTEN_PID === String(process.pid) && Number(env.LISTEN_FDS) >= 1
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[name]
  if (passed) return { fd: firstPassedFd }
  return { host: hostOf(options.host ?? env.HOST), port: options.port ?? portOf(env.PORT) }
}

/** Resolves when it listens. From then on SIGTERM and SIGINT end it gracefully, and a second one at once. */
export async function listen(kit: Kit, server: Server, options: ListenOptions = {}): Promise<Listening> {
  const { stopLimitMs = 10_000, onStop = () => undefined } = options
  const graceful = gracefulServer(server)
  if (server.keepAliveTimeout === usualKeptMs) server.keepAliveTimeout = keptMs
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(listenTarget(options), resolve)
  await promise
  server.off('error', reject)

  let stopped: Promise<{ cutOff: number }> | undefined
  const stop = () => {
    stopped ??= (async () => {
      kit.beginStop()
      const ended = await graceful.stop(stopLimitMs)
      await onStop()
      return ended
    })()
    return stopped
  }
  endOnSignal(stop)
  const address = server.address() as AddressInfo | string | null
  return { port: typeof address === 'object' ? (address?.port ?? null) : null, stop }
}

function endOnSignal(stop: () => Promise<unknown>): void {
  let asked = false
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const) {
    process.on(signal, () => {
      if (asked) process.exit(128 + number)
      asked = true
      stop().then(
        () => process.exit(0),
        error => {
          process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
          process.exit(1)
        },
      )
    })
  }
}

function portOf(text: string | undefined): number {
  if (text === undefined || text === '') return defaultPort
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65535) return port
  throw new Error(`PORT is ${JSON.stringify(text)}; it must be a number from 0 to 65535.`)
}

/** Other programs use HOST for a name, which is no place to listen. */
const hostOf = (text: string | undefined): string => (text && isIP(text) > 0 ? text : '0.0.0.0')
