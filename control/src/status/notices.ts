/** What people have written, in memory: the page is read when the store is away, too. */
import type { Incident, Maintenance } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Transaction } from '#store'
import { entriesOf, publicOf } from './incidents/stored-incident.ts'
import {
  currentOf,
  latestOf,
  pastOf,
  type StoredMaintenance,
  storedOf,
} from './maintenances/stored-maintenance.ts'
import type { Window } from './maintenances/windows.ts'

const dayMs = 86_400_000
const keptMs = 400 * dayMs
const most = 1000
/** So long before it begins a maintenance is announced. */
const announcedMs = 30 * dayMs

export interface Written {
  /** Newest first. */
  readonly incidents: readonly Incident[]
  readonly maintenances: readonly StoredMaintenance[]
}

/** What changes them. */
export const changingNotices = [
  ...(['incident.opened', 'incident.changed', 'incident.removed'] as const),
  ...(['maintenance.planned', 'maintenance.changed', 'maintenance.cancelled'] as const),
]

export async function readNotices(transaction: Transaction, now: Date): Promise<Written> {
  const border = new Date(now.getTime() - keptMs).toISOString()
  const incidents = await transaction
    .selectFrom('incident')
    .selectAll()
    .where('draft', '=', 0)
    .where(({ or, eb }) => or([eb('ended_at', 'is', null), eb('started_at', '>', border)]))
    .orderBy('started_at', 'desc')
    .limit(most)
    .execute()
  const maintenances = await transaction
    .selectFrom('maintenance')
    .selectAll()
    .where(({ or, eb }) => or([eb('repeat', 'is not', null), eb('ends_at', '>', border)]))
    .orderBy('starts_at', 'desc')
    .limit(most)
    .execute()
  return {
    incidents: (await entriesOf(transaction, incidents)).map(publicOf),
    maintenances: await storedOf(transaction, maintenances),
  }
}

export class Notices {
  readonly #clock: Clock
  readonly #timeZone: string
  readonly #listeners = new Set<() => void>()
  #written: Written = { incidents: [], maintenances: [] }
  #told = ''

  constructor(clock: Clock, timeZone: string) {
    this.#clock = clock
    this.#timeZone = timeZone
  }

  /** Hears when something else is shown. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  set(written: Written): void {
    this.#written = written
    this.tick()
  }

  /** To be called every second: windows begin and end by themselves. */
  tick(): void {
    const told = JSON.stringify([this.#written.incidents, this.maintenances])
    if (told === this.#told) return
    this.#told = told
    for (const listener of this.#listeners) listener()
  }

  /** That are not resolved. */
  get incidents(): Incident[] {
    return this.#written.incidents.filter(({ ends_at }) => ends_at === null)
  }

  /** All that are kept, newest first. */
  get allIncidents(): readonly Incident[] {
    return this.#written.incidents
  }

  /** Under way, or soon; the next first. */
  get maintenances(): Maintenance[] {
    const now = this.#now()
    return this.#written.maintenances
      .flatMap(stored => currentOf(stored, this.#timeZone, now) ?? [])
      .filter(({ status, starts_at }) => status !== 'completed' && isAnnounced(starts_at, now))
      .sort((a, b) => a.starts_at.localeCompare(b.starts_at))
  }

  /** An incident or a maintenance, over or not. */
  find(id: string): Incident | Maintenance | undefined {
    const incident = this.#written.incidents.find(one => one.id === id)
    const stored = this.#written.maintenances.find(({ row }) => row.id === id)
    const maintenance = stored && latestOf(stored, this.#timeZone, this.#now())
    if (incident || !maintenance) return incident
    return isAnnounced(maintenance.starts_at, this.#now()) ? maintenance : undefined
  }

  /** Those that began in a span and have begun, newest first. */
  pastMaintenances(span: Window): Maintenance[] {
    const now = this.#now()
    return this.#written.maintenances
      .flatMap(stored => pastOf(stored, this.#timeZone, span, now))
      .sort((a, b) => b.starts_at.localeCompare(a.starts_at))
  }

  /** Services that are under maintenance now. */
  get maintained(): ReadonlySet<string> {
    const underWay = this.maintenances.filter(({ status }) => status !== 'scheduled')
    return new Set(underWay.flatMap(({ service_ids }) => service_ids))
  }

  #now = () => this.#clock.now().getTime()
}

const isAnnounced = (startsAt: string, now: number) => Date.parse(startsAt) - now < announcedMs
