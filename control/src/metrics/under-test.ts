/** The metrics server for tests: on a home and a store of its own, with a real watch. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PostedAlert } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import { memoryLog, temporaryDirectory } from '@quarterdeck/testing'
import { onTestFinished } from 'vitest'
import { Events } from '#events'
import type { Store } from '#store'
import { History, type MonitoredService, Watch } from '#watch'
import type { MetricsEngine } from './engine.ts'
import { MetricsServer } from './metrics-server.ts'
import { WatchedPlaces } from './watched-places.ts'

export interface Around {
  readonly home: string
  readonly clock: Clock
  readonly log: ReturnType<typeof memoryLog>['log']
  readonly store: Store
  readonly watched: WatchedPlaces
  readonly onAlerts: (alerts: readonly PostedAlert[]) => Promise<void>
}

export interface BeginOptions<E extends MetricsEngine> {
  engine(around: Around): E
  store(home: string): Promise<Store>
  clock: Clock
  home?: string
  /** Files of the home, by their path in it. */
  files?: Readonly<Record<string, string>>
  services?: readonly MonitoredService[]
  intervalMs?: number
  /** host:port at which control would be. */
  control?: string
}

export function writeFiles(home: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
}

/** Goes when the test ends, or by `stop`, after which another can begin on the same home. */
export async function beginMetrics<E extends MetricsEngine>(options: BeginOptions<E>) {
  const { clock, home = temporaryDirectory(), services = [], intervalMs = 15_000 } = options
  writeFiles(home, options.files ?? {})
  const log = memoryLog()
  const store = await options.store(home)
  const history = await History.open({
    ...{ store, events: new Events(store, clock), clock, log: log.log },
    intervalS: intervalMs / 1000,
  })
  const restarts = { isUnderWay: () => false }
  const watch = new Watch({ clock, log: log.log, history, restarts, intervalMs, timeoutMs: 1000 })
  const watched = new WatchedPlaces(watch, options.control ?? '127.0.0.1:8300')
  const told: PostedAlert[] = []
  let refusal: string | undefined
  const onAlerts = async (alerts: readonly PostedAlert[]) => {
    if (refusal !== undefined) throw new Error(refusal)
    told.push(...alerts)
  }
  /** Nobody can be told of alerts from now on; undefined: they can. */
  const refuse = (reason: string | undefined) => {
    refusal = reason
  }
  const engine = options.engine({ home, clock, log: log.log, store, watched, onAlerts })
  const server = new MetricsServer({
    ...{ home, log: log.log, engine, watched, intervalMs, timeoutMs: 1000 },
  })
  const set = (all: readonly MonitoredService[]) => {
    watch.set(all)
    server.set(all)
  }
  set(services)
  // What is being started is waited for first; nothing has changed since.
  await server.reload().catch(() => undefined)
  let isStopped = false
  const stop = async () => {
    if (isStopped) return
    isStopped = true
    await server.stop()
    watch.stop()
    await history.stop()
    await store.close()
  }
  onTestFinished(stop)
  const ask = async (
    question: Parameters<MetricsEngine['ask']>[0],
    parameters: Record<string, string> = {},
  ) => {
    const { status, body } = await server.ask(question, new URLSearchParams(parameters))
    return { status, ...JSON.parse(body) }
  }
  return { home, log, engine, server, watch, watched, store, told, refuse, set, ask, stop }
}
