/** A service as it is now: what was last seen of each of its instances, and what that makes of the whole. */
import type { ServiceStatus } from '@quarterdeck/contract'
import { type Condition, conditionOf, judgeLook, nothingSeen, type Verdicts } from './condition.ts'
import type { Look } from './look.ts'
import { type RolledUp, rollUp } from './roll-up.ts'
import type { WatchedInstance, WatchedService } from './service.ts'
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
  instance: WatchedInstance
  look: Look | null = null
  #verdicts: Verdicts = nothingSeen

  constructor(instance: WatchedInstance) {
    this.instance = instance
  }

  take(look: Look, isRestarting: boolean): void {
    this.look = look
    this.#verdicts = judgeLook(this.#verdicts, look, isRestarting)
  }

  /** Nobody has watched for a while: what was seen before says nothing about now. */
  forget(): void {
    this.#verdicts = nothingSeen
  }

  get condition(): Condition {
    return this.instance.kind === 'told' ? this.instance.condition : conditionOf(this.#verdicts)
  }
}

export class ServiceState {
  service: WatchedService
  readonly instances = new Map<string, InstanceState>()
  #rolled: RolledUp = rollUp([])
  /** Since it is unknown it counts as what it was, until something else is seen. */
  #kept: Kept | undefined

  constructor(service: WatchedService, kept?: Kept) {
    this.service = service
    this.#kept = kept
    this.replace(service)
  }

  /** Instances that are still there keep what was seen of them; one that has moved is looked at anew. */
  replace(service: WatchedService): void {
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

  /** Null while it is unknown. */
  get since(): number | null {
    return this.#rolled.status === 'unknown' ? null : (this.#kept?.at ?? this.#rolled.since)
  }

  get rolledUp(): RolledUp {
    return this.#rolled
  }

  /** Once more from its instances. What it tells is new: another status than before, however long that was ago. */
  settle(): Changed | undefined {
    this.#rolled = rollUp([...this.instances.values()].map(({ condition }) => condition))
    const { status, since, reason } = this.#rolled
    if (status === 'unknown' || status === this.#kept?.status) return undefined
    const at = Math.max(since ?? 0, this.#kept?.at ?? 0)
    this.#kept = { at, status }
    return { at, status, reason }
  }
}
