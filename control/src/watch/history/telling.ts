/**
 * Which changes of services become events. The first few of an hour are told at once; of one that flaps, after that only where
 * it stands, every five minutes at most, so that whoever listens knows the state in the end and is not flooded meanwhile.
 */
import type { Fact } from '#events'
import { type Change, mostRowsPerHour } from './ledger.ts'

const hourS = 3600
export const flappingPauseS = 300

interface Told {
  hour: number
  inHour: number
  at: number
  status: Change['status'] | null
  /** Changes since. */
  untold: number
  newest: Change
}

export class Telling {
  readonly #told = new Map<string, Told>()
  readonly #untold = new Set<string>()

  /** `before` is what it was; null: nothing was known of it. */
  changed(
    service: string,
    before: Change['status'] | null,
    change: Change,
    now: number,
    may = true,
  ): Fact | null {
    const hour = Math.floor(now / hourS)
    const told = this.#told.get(service) ?? {
      hour,
      inHour: 0,
      at: 0,
      status: before,
      untold: 0,
      newest: change,
    }
    this.#told.set(service, told)
    if (told.hour !== hour) Object.assign(told, { hour, inHour: 0 })
    told.newest = change
    told.untold++
    if (may && told.inHour < mostRowsPerHour && told.untold === 1) return this.#tell(service, told, now)
    this.#untold.add(service)
    return null
  }

  /** What has been held back for long enough. Where it stands as was told last, there is nothing to tell. */
  due(now: number, may: (service: string) => boolean): { service: string; fact: Fact }[] {
    return [...this.#untold].filter(may).flatMap(service => {
      const told = this.#told.get(service)!
      if (now - told.at < flappingPauseS && now >= told.at) return []
      const fact = this.#tell(service, told, now)
      return fact ? [{ service, fact }] : []
    })
  }

  /** Of those that have been quiet for an hour nothing needs to be remembered. */
  tidy(now: number): void {
    for (const [service, { at, untold }] of this.#told) {
      if (untold === 0 && now - at > hourS) this.#told.delete(service)
    }
  }

  forget(service: string): void {
    this.#told.delete(service)
    this.#untold.delete(service)
  }

  #tell(service: string, told: Told, now: number): Fact | null {
    const { status, newest, untold } = told
    Object.assign(told, { at: now, inHour: told.inHour + 1, untold: 0, status: newest.status })
    this.#untold.delete(service)
    if (newest.status === status) return null
    return {
      type: 'status.changed',
      subject: `service/${service}`,
      data: {
        status: newest.status,
        from: status,
        reason: newest.reason && { ...newest.reason },
        since: new Date(newest.at * 1000).toISOString(),
        ...(untold > 1 && { changes: untold }),
      },
    }
  }
}
