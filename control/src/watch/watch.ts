/** Looks at every instance of every service, and knows at each moment how they are. */
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import type { Restarts } from '#fleet'
import type { History } from './history/index.ts'
import { inOrder, type Look } from './look.ts'
import { pathOf } from './look-at-url.ts'
import { withoutMetadata } from './metadata-lookup.ts'
import { NameLookup } from './name-lookup.ts'
import { Prober, type ProberFigures, type ProbeTarget, type Sighting } from './prober.ts'
import { spentIn } from './roll-up.ts'
import { MetricsReader, type Scrape } from './scrape.ts'
import type { MonitoredService, ProbedInstance } from './service.ts'
import { ServiceState } from './service-state.ts'
import { lookOf } from './sighting.ts'

/** So many looks that did not happen are no coincidence. */
const missedLooks = 4

export interface WatchOptions {
  readonly clock: Clock
  readonly log: Logger
  readonly history: History
  readonly restarts: Pick<Restarts, 'isUnderWay'>
  readonly intervalMs: number
  readonly timeoutMs: number
}

export interface WatchTarget extends ProbeTarget {
  readonly service: string
  readonly instance: ProbedInstance
}

/** What is new about a service: only that it was looked at, or another status. */
export type News = 'looked' | 'changed'

export class Watch {
  readonly #options: WatchOptions
  readonly #prober: Prober<WatchTarget>
  readonly #services = new Map<string, ServiceState>()
  #maintained: ReadonlySet<string> = new Set()
  readonly #listeners = new Set<(service: string, news: News) => void>()
  readonly #scrapes = new Set<(target: WatchTarget, scrape: Scrape) => void>()
  readonly #metrics = new MetricsReader()
  /** Instances that have led on, and are looked at there: by the look itself nobody is waited for. */
  readonly #following = new Set<string>()

  constructor(options: WatchOptions) {
    this.#options = options
    const { clock, log, timeoutMs } = options
    // A name that its owner points at where clouds tell secrets leads nowhere.
    const lookup = withoutMetadata(new NameLookup({ clock }).lookup)
    this.#prober = new Prober({ clock, log, lookup, limits: { timeoutMs }, onSighting: this.#saw })
  }

  /** In the order in which they were given. */
  get services(): Iterable<ServiceState> {
    return this.#services.values()
  }

  service(id: string): ServiceState | undefined {
    return this.#services.get(id)
  }

  /** All that there are. Who is not among them is not watched any more; who was keeps what was seen. */
  set(services: readonly MonitoredService[]): void {
    const before = new Map(this.#services)
    this.#services.clear()
    for (const service of services) {
      const known = before.get(service.id)
      const state = known ?? new ServiceState(service, this.#options.history.last(service.id))
      this.#services.set(service.id, state)
      state.isMaintained = this.#maintained.has(service.id)
      const gone = known ? idsOf(known.service) : []
      state.replace(service)
      for (const id of gone) if (!state.instances.has(id)) this.#prober.remove(id)
      for (const target of this.#targetsOf(service)) this.#prober.set(target)
      this.#settle(state, 'changed')
      before.delete(service.id)
    }
    for (const { service } of before.values()) {
      for (const id of idsOf(service)) this.#prober.remove(id)
      this.#options.history.forget(service.id)
      this.#tell(service.id, 'changed')
    }
  }

  /** Services that are under maintenance from now on; no others are. */
  maintain(services: ReadonlySet<string>): void {
    this.#maintained = services
    for (const state of this.#services.values()) {
      const isMaintained = services.has(state.service.id)
      if (state.isMaintained === isMaintained) continue
      state.isMaintained = isMaintained
      this.#settle(state, 'changed')
    }
  }

  start(): void {
    this.#prober.start()
  }

  stop(): void {
    this.#prober.stop()
  }

  /** How the looks went since this was last asked. */
  takeFigures(): ProberFigures {
    return this.#prober.takeFigures()
  }

  /** Hears after each look at a service. Returns how to end that. */
  onNews(listener: (service: string, news: News) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Hears of each page of metrics that was read, and of each that could not be. */
  onScrape(listener: (target: WatchTarget, scrape: Scrape) => void): void {
    this.#scrapes.add(listener)
  }

  /** To be called every few seconds. What was not looked at for several intervals is not known any more. */
  tick(): void {
    const now = secondsOf(this.#options.clock)
    for (const state of this.#services.values()) {
      const lost = [...state.instances.values()].filter(({ instance, look }) => {
        if (instance.kind === 'told' || !look) return false
        return now - look.at > (missedLooks * (instance.intervalMs ?? this.#options.intervalMs)) / 1000
      })
      for (const instance of lost) instance.lose()
      if (lost.length > 0) this.#settle(state, 'looked')
    }
  }

  #targetsOf({ id: service, instances }: MonitoredService): WatchTarget[] {
    return instances.flatMap(instance => {
      if (instance.kind === 'told') return []
      const { id, server, intervalMs = this.#options.intervalMs, timeoutMs } = instance
      const paths = instance.kind === 'api' ? inOrder(instance.paths) : [pathOf(new URL(instance.target.url))]
      return [{ id, server, intervalMs, ...(timeoutMs && { timeoutMs }), paths, service, instance }]
    })
  }

  readonly #saw = (sighting: Sighting<WatchTarget>): void => {
    const { id } = sighting.target
    // The one before leads nowhere yet: they would pile up, and be told in any order.
    if (this.#following.has(id)) return
    const look = lookOf(sighting)
    if (!(look instanceof Promise)) {
      this.#take(sighting, look)
      return
    }
    this.#following.add(id)
    look
      .then(later => this.#take(sighting, later))
      .catch(error => this.#options.log.error({ err: error }, 'a look failed'))
      .finally(() => this.#following.delete(id))
  }

  #take(sighting: Sighting<WatchTarget>, seenLook: Look): void {
    const { service, instance } = sighting.target
    const state = this.#services.get(service)
    const seen = state?.instances.get(instance.id)
    // It has gone since the look began.
    if (!state || !seen) return
    const scrape = this.#metrics.read(sighting, seenLook)
    const look = withScrape(seenLook, scrape)
    const { machine } = instance
    seen.take(look, machine !== null && this.#options.restarts.isUnderWay(machine, service))
    seen.certificateEnds = sighting.certificateEnds
    if (scrape) for (const listener of this.#scrapes) listener(sighting.target, scrape)
    this.#options.history.looked(service, look.at, {
      latencyMs: look.live.latencyMs,
      instance: instance.id,
      ...(scrape?.signals && { signals: scrape.signals }),
    })
    this.#settle(state, 'looked')
  }

  #settle(state: ServiceState, news: News): void {
    const before = state.status
    const changed = state.settle(secondsOf(this.#options.clock))
    if (changed)
      this.#options.history.changed(state.service.id, { ...changed, kind: spentIn[changed.status] })
    // After a start it may be again what it was before, which is no change in the history, and one to see.
    this.#tell(state.service.id, changed || state.status !== before ? 'changed' : news)
  }

  #tell(service: string, news: News): void {
    for (const listener of this.#listeners) listener(service, news)
  }
}

/** A page that cannot be read is none. */
const withScrape = (look: Look, scrape: Scrape | undefined): Look =>
  scrape?.reason && look.metrics?.ok
    ? { ...look, metrics: { ...look.metrics, ok: false, reason: scrape.reason } }
    : look

const secondsOf = (clock: Clock) => Math.floor(clock.now().getTime() / 1000)

const idsOf = ({ instances }: MonitoredService): string[] => instances.map(({ id }) => id)
