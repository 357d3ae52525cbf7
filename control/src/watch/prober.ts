/**
 * Looks at every target, each at its own times, and tells what was seen. One target never delays another: a look that is still
 * under way when the next is due makes that one be left out, and nothing ever queues up.
 */
import type { LookupFunction } from 'node:net'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { NoLook } from './failure.ts'
import { HostPlaces, type Visitor } from './host-places.ts'
import { NameLookup } from './name-lookup.ts'
import { isSameServer } from './open-socket.ts'
import { type LookLimits, ProbeConnection, type Seen, type Server } from './probe-connection.ts'
import { type ProberFigures, ProberStatistics } from './prober-statistics.ts'
import { Schedule } from './schedule.ts'

export type { ProberFigures } from './prober-statistics.ts'

export interface ProbeTarget {
  readonly id: string
  readonly server: Server
  /** What is asked, in this order; the first that fails ends the look. */
  readonly paths: readonly string[]
  readonly intervalMs: number
  /** For the connection, and for each answer; without it, as the limits say. */
  readonly timeoutMs?: number
}

export interface Sighting<T> {
  /** As it was when the look began. */
  readonly target: T
  /** Time of day when the look began. */
  readonly atMs: number
  /** How long all of it took. */
  readonly durationMs: number
  /** For each path what came; shorter than the paths where one failed, which then is the last. */
  readonly seen: readonly Seen[]
  /** Of the certificate that was seen last, also if it was refused. */
  readonly certificateEnds: Date | undefined
}

export interface ProberLimits {
  readonly timeoutMs: number
  readonly longestBody: number
  /** Looks at one host at the same time. */
  readonly perHost: number
}

export const defaultProberLimits: ProberLimits = {
  timeoutMs: 5000,
  longestBody: 10 * 1024 * 1024,
  perHost: 50,
}

/** The same trouble of this machine is not said more often. */
const sayEveryMs = 60_000

export interface ProberOptions<T> {
  readonly clock: Clock
  /** Called as soon as a look is done. */
  readonly onSighting: (sighting: Sighting<T>) => void
  readonly log: Pick<Logger, 'warn' | 'error'>
  readonly limits?: Partial<ProberLimits>
  /** For servers that bring none of their own; without it, one that all of them share. */
  readonly lookup?: LookupFunction
}

class Watched<T extends ProbeTarget> implements Visitor {
  target: T
  readonly server: Server
  readonly connection: ProbeConnection
  state: 'idle' | 'waiting' | 'looking' = 'idle'
  /** Counts the looks, so that one that was given up is not taken for the next. */
  turn = 0
  isSlow = false
  dueMs = 0

  constructor(target: T, connection: ProbeConnection) {
    this.target = target
    this.server = target.server
    this.connection = connection
  }

  get host(): string {
    return this.server.host
  }
}

export class Prober<T extends ProbeTarget> {
  readonly #clock: Clock
  readonly #onSighting: (sighting: Sighting<T>) => void
  readonly #log: Pick<Logger, 'warn' | 'error'>
  readonly #limits: ProberLimits
  readonly #lookup: LookupFunction
  readonly #watched = new Map<string, Watched<T>>()
  readonly #places: HostPlaces<Watched<T>>
  readonly #statistics = new ProberStatistics()
  readonly #schedule: Schedule<string>
  /** The time of day that the schedule goes by, which goes on evenly when somebody sets the clock. */
  readonly #beganMs: number
  #timer: NodeJS.Timeout | undefined
  readonly #saidMs = { ours: Number.NEGATIVE_INFINITY, lost: Number.NEGATIVE_INFINITY }

  constructor({ clock, onSighting, log, limits, lookup }: ProberOptions<T>) {
    this.#clock = clock
    this.#onSighting = onSighting
    this.#log = log
    this.#limits = { ...defaultProberLimits, ...limits }
    this.#lookup = lookup ?? new NameLookup({ clock }).lookup
    this.#places = new HostPlaces(this.#limits.perHost)
    this.#beganMs = clock.now().getTime() - clock.monotonicMs()
    this.#schedule = new Schedule(this.#nowMs())
  }

  /** How the looks have gone since it was last asked. */
  takeFigures(): ProberFigures {
    return { targets: this.#watched.size, ...this.#statistics.take() }
  }

  /** A new target, or an old one that has changed. One that has moved is never shown with what its old place still says. */
  set(target: T): void {
    const odd = target.paths.find(path => !/^\/[\x21-\x7e]*$/.test(path))
    if (odd !== undefined)
      throw new Error(`${target.id} cannot be asked for ${JSON.stringify(odd)}: it is no path.`)
    const before = this.#watched.get(target.id)
    const limits = this.#limitsOf(target)
    if (before && isSameServer(before.server, target.server)) {
      before.target = target
      before.connection.limits = limits
    } else {
      const connection = new ProbeConnection(
        { ...target.server, lookup: target.server.lookup ?? this.#lookup },
        limits,
      )
      if (before) this.#forget(before)
      this.#watched.set(target.id, new Watched(target, connection))
    }
    this.#schedule.set(target.id, target.id, target.intervalMs)
  }

  remove(id: string): void {
    const watched = this.#watched.get(id)
    if (!watched) return
    this.#watched.delete(id)
    this.#schedule.remove(id)
    this.#forget(watched)
  }

  start(): void {
    this.#timer ??= setTimeout(this.#tick, 0)
  }

  /** Nothing is told any more. What is watched is kept, and looked at again after `start`. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const watched of this.#watched.values()) this.#forget(watched)
  }

  readonly #tick = (): void => {
    for (const { target: id, lagMs } of this.#schedule.due(this.#nowMs()))
      this.#due(this.#watched.get(id)!, lagMs)
    this.#timer = setTimeout(this.#tick, this.#schedule.waitMs(this.#nowMs()))
  }

  #due(watched: Watched<T>, lagMs: number): void {
    const before = watched.state
    if (before !== 'idle') this.#statistics.leftOut++
    if (before === 'looking') return
    // One that has waited for a whole interval keeps its place in the queue.
    watched.dueMs = this.#nowMs() - lagMs
    if (before === 'waiting') return
    if (this.#places.enter(watched)) void this.#look(watched)
    else watched.state = 'waiting'
  }

  async #look(watched: Watched<T>): Promise<void> {
    const { target, connection } = watched
    const turn = ++watched.turn
    watched.state = 'looking'
    this.#statistics.began(this.#nowMs() - watched.dueMs)
    const atMs = this.#clock.now().getTime()
    const beganMs = this.#clock.monotonicMs()
    try {
      const seen = await connection.look(target.paths)
      if (watched.turn !== turn) return
      this.#leave(watched, isTimeout(seen.at(-1)))
      this.#statistics.done++
      const durationMs = this.#clock.monotonicMs() - beganMs
      this.#onSighting({ target, atMs, durationMs, seen, certificateEnds: connection.certificateEnds })
    } catch (error) {
      if (watched.turn !== turn) return
      if (watched.state === 'looking') this.#leave(watched, watched.isSlow)
      this.#record(error, target)
    }
  }

  #leave(watched: Watched<T>, isSlow: boolean): void {
    const next = this.#places.leave(watched)
    watched.state = 'idle'
    watched.isSlow = isSlow
    if (next && this.#timer) void this.#look(next)
  }

  /** Whatever it still says from now on is not heard. */
  #forget(watched: Watched<T>): void {
    watched.turn++
    this.#leave(watched, false)
    watched.connection.close()
  }

  /** Background work records and goes on; the same trouble with ten thousand targets is not said ten thousand times. */
  #record(error: unknown, { id }: T): void {
    const kind = error instanceof NoLook ? 'ours' : 'lost'
    this.#statistics[kind]++
    const now = this.#clock.monotonicMs()
    if (now < this.#saidMs[kind] + sayEveryMs) return
    this.#saidMs[kind] = now
    if (error instanceof NoLook)
      this.#log.warn(
        { target: id, reason: error.message },
        'looks cannot be taken, through no fault of the target',
      )
    else this.#log.error({ err: error, target: id }, 'what was seen could not be taken in')
  }

  #limitsOf({ timeoutMs = this.#limits.timeoutMs, intervalMs }: T): LookLimits {
    const lookMs = Math.max(timeoutMs, Math.min(2 * timeoutMs, intervalMs))
    return { timeoutMs, lookMs, longestBody: this.#limits.longestBody }
  }

  #nowMs(): number {
    return this.#beganMs + this.#clock.monotonicMs()
  }
}

const isTimeout = (seen: Seen | undefined): boolean =>
  seen !== undefined && 'failure' in seen && seen.failure.code === 'timeout'
