/** What is often written in incidents, kept under a name. */
import {
  Fault,
  type IncidentTemplate,
  type IncidentTemplateSet,
  incidentTemplateSet,
} from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Events } from '#events'
import { type Cursor, type Origin, type Paged, pageOf } from '#http'
import type { Tables, Transaction } from '#store'

type Row = Tables['incident_template']

export class IncidentTemplates {
  readonly #events: Events
  readonly #clock: Clock

  constructor(events: Events, clock: Clock) {
    this.#events = events
    this.#clock = clock
  }

  async read(transaction: Transaction, name: string): Promise<IncidentTemplate> {
    const row = await transaction
      .selectFrom('incident_template')
      .selectAll()
      .where('name', '=', name)
      .executeTakeFirst()
    if (!row) throw new Fault('not_found', `There is no template ${name}.`)
    return templateOf(row)
  }

  /** By name. */
  async list(transaction: Transaction, { limit, after = '' }: Cursor): Promise<Paged<IncidentTemplate>> {
    const rows = await transaction
      .selectFrom('incident_template')
      .selectAll()
      .where('name', '>', after)
      .orderBy('name')
      .limit(limit + 1)
      .execute()
    return pageOf(rows, limit, ({ name }) => name, templateOf)
  }

  async set(
    transaction: Transaction,
    origin: Origin,
    name: string,
    settings: IncidentTemplateSet,
  ): Promise<IncidentTemplate> {
    const row = { name, settings: JSON.stringify(settings), updated_at: this.#clock.now().toISOString() }
    await transaction
      .insertInto('incident_template')
      .values(row)
      .onConflict(conflict =>
        conflict.column('name').doUpdateSet({ settings: row.settings, updated_at: row.updated_at }),
      )
      .execute()
    await this.#events.append(transaction, origin, {
      ...{ type: 'incident_template.set', subject: `incident_template/${name}`, data: {} },
    })
    return templateOf(row)
  }

  async remove(transaction: Transaction, origin: Origin, name: string): Promise<undefined> {
    await this.read(transaction, name)
    await transaction.deleteFrom('incident_template').where('name', '=', name).execute()
    await this.#events.append(transaction, origin, {
      ...{ type: 'incident_template.removed', subject: `incident_template/${name}`, data: {} },
    })
  }
}

const templateOf = ({ name, settings, updated_at }: Row): IncidentTemplate => ({
  name,
  ...incidentTemplateSet.parse(JSON.parse(settings)),
  updated_at,
})
