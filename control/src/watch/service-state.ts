/** A service as it is now: what was last seen of each of its instances, and what that makes of the whole. */
import type { ServiceStatus } from '@quarterdeck/contract'
import { type Condition, conditionOf, judgeLook, nothingSeen, type Verdicts, withKnown } from './condition.ts'
import type { Look } from './look.ts'
import { type RolledUp, rollUp } from './roll-up.ts'
import type { MonitoredInstance, MonitoredService } from './service.ts'
import type { Reason } from './verdict.ts'

/** What a service was before, as far as it is kept. */
export interface Kept {
  readonly at: number
  readonly status: ServiceStatus
}

export interface Changed {
  /** Seconds since 1970. */
  readonly at: number
  readonly status: ServiceStatus
  readonly reason: Reason | null
}

export class InstanceState {
  instance: MonitoredInstance
  look: Look | null = null
  /** As it last said it, and when. */
  version: { readonly name: string; readonly sha: string; readonly at: number } | null = null
  /** When the certificate that was seen last ends. */
  certificateEnds: Date | undefined
  #verdicts: Verdicts = nothingSeen

  constructor(instance: MonitoredInstance) {
    this.instance = instance
  }

  take(look: Look, isRestarting: boolean): void {
    this.look = look
    const version = look.version?.version
    if (version) this.version = { ...version, at: look.at }
    this.#verdicts = judgeLook(this.#verdicts, look, isRestarting)
  }

  /** It was not looked at for too long: what was seen before says nothing about now. */
  lose(): void {
    this.#verdicts = nothingSeen
  }

  get condition(): Condition {
    if (this.instance.kind === 'told') return this.instance.condition
    const known = this.instance.kind === 'api' ? this.instance.known : null
    return withKnown(conditionOf(this.#verdicts), known ?? null)
  }
}

export class ServiceState {
  service: MonitoredService
  readonly instances = new Map<string, InstanceState>()
  /** While it is, what is seen of it counts neither for nor against it. */
  isMaintained = false
  #rolled: RolledUp = rollUp([])
  /** What it was last, maybe in a former life: it counts until something else is seen. */
  #kept: Kept | undefined
  #wasSeen = false

  constructor(service: MonitoredService, kept?: Kept) {
    this.service = service
    this.#kept = kept
    this.replace(service)
  }

  /** Instances that are still there keep what was seen of them. */
  replace(service: MonitoredService): void {
    this.service = service
    const ids = new Set(service.instances.map(({ id }) => id))
    for (const id of this.instances.keys()) if (!ids.has(id)) this.instances.delete(id)
    for (const instance of service.instances) {
      const known = this.instances.get(instance.id)
      if (known) known.instance = instance
      else this.instances.set(instance.id, new InstanceState(instance))
    }
  }

  get status(): ServiceStatus {
    return this.#rolled.status
  }

  /** Seconds since 1970; null while it is unknown. */
  get since(): number | null {
    return this.status === 'unknown' ? null : (this.#kept?.at ?? this.#rolled.since)
  }

  get rolledUp(): RolledUp {
    return this.#rolled
  }

  /** Once more from its instances. Tells another status than before, however long that was ago. */
  settle(now: number): Changed | undefined {
    const seen = rollUp([...this.instances.values()].map(({ condition }) => condition))
    this.#rolled = this.isMaintained ? { ...seen, status: 'maintenance', since: null, reason: null } : seen
    const { status, since, reason } = this.#rolled
    // That nobody watched before this life is known without it.
    if (status === 'unknown' && !this.#wasSeen && this.instances.size > 0) return undefined
    this.#wasSeen = true
    if (status === (this.#kept?.status ?? 'unknown')) return undefined
    // A maintenance was one up to now, whatever was seen of the service meanwhile.
    const isOver = this.#kept?.status === 'maintenance'
    const at = Math.max(isOver ? now : (since ?? now), this.#kept?.at ?? 0)
    this.#kept = { at, status }
    return { at, status, reason }
  }
}
