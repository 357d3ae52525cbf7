/** Services that are watched only: added, changed, removed. What is seen of them is another’s. */
import { isDeepStrictEqual } from 'node:util'
import {
  Fault,
  type ServiceEntry,
  type WatchedChange,
  type WatchedCreate,
  type WatchedSettings,
  wholeWatchedSettings,
} from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Events, Fact } from '#events'
import { checked, type Origin } from '#http'
import type { Projects } from '#projects'
import type { SecretBox } from '#secrets'
import type { Transaction } from '#store'
import { entryOf, headerNamesIn, rowOf, rowsAfter, type ServiceRow, settingsIn } from './stored-service.ts'

export interface ServicesOptions {
  events: Events
  clock: Clock
  projects: Projects
  secrets: SecretBox
}

/** What is asked, and what with. */
export interface WatchedService extends WatchedSettings {
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
}

export class Services {
  readonly #options: ServicesOptions

  constructor(options: ServicesOptions) {
    this.#options = options
  }

  async add(transaction: Transaction, origin: Origin, body: WatchedCreate): Promise<ServiceEntry> {
    const { id, headers, name = id, ...rest } = body
    await this.refuseId(transaction, id)
    await this.#options.projects.refuseDependencies(transaction, id, rest.depends_on)
    return entryOf(await this.insert(transaction, origin, id, { name, ...rest }, headers))
  }

  /** A new one of settings that nothing stands in the way of. */
  async insert(
    transaction: Transaction,
    origin: Origin,
    id: string,
    settings: WatchedSettings,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ServiceRow> {
    const now = this.#now()
    const row: ServiceRow = {
      id,
      settings: JSON.stringify(settings),
      ...(await this.#sealed(transaction, id, headers)),
      created_at: now,
      updated_at: now,
    }
    await transaction.insertInto('service').values(row).execute()
    await this.#tell(transaction, origin, 'service.added', id, { url: settings.url })
    return row
  }

  async read(transaction: Transaction, id: string): Promise<ServiceEntry> {
    return entryOf(await this.#named(transaction, id))
  }

  /** What changes nothing is no change: neither its time nor an event tells of it. */
  async change(
    transaction: Transaction,
    origin: Origin,
    id: string,
    { headers, ...change }: WatchedChange,
  ): Promise<ServiceEntry> {
    const row = await this.#named(transaction, id)
    const before = settingsIn(row)
    const expect = { ...before.expect, ...change.expect }
    const after = checked(wholeWatchedSettings, { ...before, ...change, expect })
    await this.#options.projects.refuseDependencies(transaction, id, after.depends_on, before.depends_on)
    await this.replace(transaction, origin, row, after, headers)
    return this.read(transaction, id)
  }

  /** Headers are for the host that they were given for: with another one they go, unless they are given again. */
  async replace(
    transaction: Transaction,
    origin: Origin,
    row: ServiceRow,
    settings: WatchedSettings,
    headers?: Readonly<Record<string, string>>,
  ): Promise<void> {
    const before = settingsIn(row)
    const changed = changedKeys(before, settings)
    const isElsewhere = new URL(before.url).origin !== new URL(settings.url).origin
    const wanted = headers ?? (isElsewhere && headerNamesIn(row).length > 0 ? {} : undefined)
    if (wanted) changed.push('headers')
    if (changed.length === 0) return
    await transaction
      .updateTable('service')
      .set({
        settings: JSON.stringify(settings),
        ...(wanted && (await this.#sealed(transaction, row.id, wanted))),
        updated_at: this.#now(),
      })
      .where('id', '=', row.id)
      .execute()
    await this.#tell(transaction, origin, 'service.changed', row.id, { changed })
  }

  async remove(transaction: Transaction, origin: Origin, id: string): Promise<void> {
    const { url } = settingsIn(await this.#named(transaction, id))
    await transaction.deleteFrom('service').where('id', '=', id).execute()
    await this.#tell(transaction, origin, 'service.removed', id, { url })
  }

  /** All of them, by id. */
  rows(transaction: Transaction): Promise<ServiceRow[]> {
    return rowsAfter(transaction)
  }

  /** With what is sent along, for who asks it. */
  async watched(transaction: Transaction, id: string): Promise<WatchedService> {
    return this.opened(await this.#named(transaction, id))
  }

  opened(row: ServiceRow): WatchedService {
    const { id, headers } = row
    const text = headers === null ? '{}' : this.#options.secrets.open(headers, purposeOf(id))
    return { id, ...settingsIn(row), headers: JSON.parse(text) as Record<string, string> }
  }

  /** A fault if nothing new can have this id. */
  async refuseId(transaction: Transaction, id: string): Promise<void> {
    try {
      await this.#options.projects.refuseName(transaction, id)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      if (error.code === 'project_exists') throw new Fault('service_exists', error.message, { cause: error })
      const fields = error.fields.map(({ message }) => ({ field: 'id', message }))
      throw new Fault(error.code, error.message.replace('The name', 'The id'), { fields, cause: error })
    }
  }

  async #named(transaction: Transaction, id: string): Promise<ServiceRow> {
    const row = await rowOf(transaction, id)
    if (row) return row
    const isProject = (await this.#options.projects.find(transaction, id)) !== undefined
    throw new Fault(
      'not_found',
      isProject
        ? `${id} is the service of a project, and watched as such: \`qd project set\` changes it.`
        : `There is no watched service ${id}.`,
    )
  }

  async #sealed(
    transaction: Transaction,
    id: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<Pick<ServiceRow, 'header_names' | 'headers'>> {
    const names = Object.keys(headers).sort()
    const text = JSON.stringify(headers)
    return {
      header_names: JSON.stringify(names),
      headers: names.length === 0 ? null : await this.#options.secrets.seal(transaction, text, purposeOf(id)),
    }
  }

  #tell(
    transaction: Transaction,
    origin: Origin,
    type: Fact['type'],
    id: string,
    data: Fact['data'] = {},
  ): Promise<void> {
    return this.#options.events.append(transaction, origin, { type, subject: `service/${id}`, data })
  }

  #now = () => this.#options.clock.now().toISOString()
}

/** Names of the settings that differ. */
export const changedKeys = (before: WatchedSettings, after: WatchedSettings): string[] =>
  (Object.keys(after) as (keyof WatchedSettings)[]).filter(key => !isDeepStrictEqual(before[key], after[key]))

const purposeOf = (id: string) => `service/${id}/headers`
