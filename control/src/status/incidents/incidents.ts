/** What people write while something is wrong: opened, told more of, resolved. */
import { randomUUIDv7 } from 'node:crypto'
import {
  Fault,
  type Impact,
  type IncidentChange,
  type IncidentCreate,
  type IncidentEntry,
  type IncidentStatus,
  type IncidentUpdateCreate,
} from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Events, Fact } from '#events'
import { bySystem, type Cursor, type Origin, type Paged, pageOf } from '#http'
import type { Transaction } from '#store'
import { entriesOf, type IncidentRow, incidentRow } from './stored-incident.ts'
import type { IncidentTemplates } from './templates.ts'

export interface IncidentsOptions {
  readonly events: Events
  readonly clock: Clock
  readonly templates: IncidentTemplates
  /** Whether there is a service of this id. */
  isService(id: string): boolean
}

/** What an alert knows of what is wrong. */
export interface Draft {
  /** Names the alert: while its incident is open there is no second one. */
  readonly source: string
  readonly name: string
  readonly impact: Impact
  readonly serviceIds: readonly string[]
  readonly body: string
}

export class Incidents {
  readonly #options: IncidentsOptions

  constructor(options: IncidentsOptions) {
    this.#options = options
  }

  async open(transaction: Transaction, origin: Origin, wanted: IncidentCreate): Promise<IncidentEntry> {
    const { templates } = this.#options
    const template =
      wanted.template === undefined ? undefined : await templates.read(transaction, wanted.template)
    const name = wanted.name ?? template?.title
    const body = wanted.body ?? template?.body
    const serviceIds = wanted.service_ids ?? template?.service_ids ?? []
    if (name === undefined) throw missing('name')
    if (body === undefined && !wanted.draft) throw missing('body')
    refuseUnknown(serviceIds, this.#options.isService)
    return this.#insert(transaction, origin, {
      ...{ name, body, serviceIds, status: wanted.status, draft: wanted.draft, source: null },
      impact: wanted.impact ?? template?.impact ?? 'minor',
      startedAt: wanted.started_at,
    })
  }

  /** The door for alerts: a draft that somebody looks at before everybody does. Gives the one that is open already. */
  async openDraft(transaction: Transaction, draft: Draft): Promise<IncidentEntry> {
    const open = await transaction
      .selectFrom('incident')
      .selectAll()
      .where('source', '=', draft.source)
      .where('ended_at', 'is', null)
      .executeTakeFirst()
    if (open) return (await entriesOf(transaction, [open]))[0]!
    return this.#insert(transaction, bySystem, { ...draft, status: 'investigating', draft: true })
  }

  /** What has opened it is over, and nobody has published it. */
  async dropDraft(transaction: Transaction, origin: Origin, source: string): Promise<void> {
    const draft = await transaction
      .selectFrom('incident')
      .select('id')
      .where('source', '=', source)
      .where('draft', '=', 1)
      .executeTakeFirst()
    if (draft) await this.remove(transaction, origin, draft.id)
  }

  async read(transaction: Transaction, id: string): Promise<IncidentEntry> {
    return (await entriesOf(transaction, [await this.#named(transaction, id)]))[0]!
  }

  /** Newest first. */
  async list(
    transaction: Transaction,
    { limit, after }: Cursor,
    open = false,
  ): Promise<Paged<IncidentEntry>> {
    let query = transaction
      .selectFrom('incident')
      .selectAll()
      .orderBy('id', 'desc')
      .limit(limit + 1)
    if (open) query = query.where('ended_at', 'is', null)
    if (after !== undefined) query = query.where('id', '<', after)
    const { items, next_cursor } = pageOf(
      await query.execute(),
      limit,
      ({ id }) => id,
      row => row,
    )
    return { items: await entriesOf(transaction, items), next_cursor }
  }

  async change(
    transaction: Transaction,
    origin: Origin,
    id: string,
    { name, impact, service_ids, draft }: IncidentChange,
  ): Promise<IncidentEntry> {
    const row = await this.#named(transaction, id)
    const known = JSON.parse(row.service_ids) as string[]
    refuseUnknown(service_ids ?? [], service => known.includes(service) || this.#options.isService(service))
    await this.#set(transaction, id, {
      ...(name !== undefined && { name }),
      ...(impact && { impact }),
      ...(service_ids && { service_ids: JSON.stringify(service_ids) }),
      ...(draft === false && { draft: 0 }),
    })
    const isPublished = row.draft === 1 && draft === false
    await this.#tell(transaction, origin, 'incident.changed', id, { published: isPublished })
    return this.read(transaction, id)
  }

  /** With the status resolved it ends, and takes no update any more. */
  async update(
    transaction: Transaction,
    origin: Origin,
    id: string,
    { status, body }: IncidentUpdateCreate,
  ): Promise<IncidentEntry> {
    const row = await this.#named(transaction, id)
    if (row.ended_at !== null) throw new Fault('notice_over', `The incident ${row.name} is resolved.`)
    const next = status ?? (row.status as IncidentStatus)
    const now = this.#now()
    await this.#addUpdate(transaction, id, next, body)
    await this.#set(transaction, id, { status: next, ...(next === 'resolved' && { ended_at: now }) })
    await this.#tell(transaction, origin, 'incident.changed', id, { status: next })
    return this.read(transaction, id)
  }

  async remove(transaction: Transaction, origin: Origin, id: string): Promise<undefined> {
    const { name } = await this.#named(transaction, id)
    await transaction.deleteFrom('incident_update').where('incident', '=', id).execute()
    await transaction.deleteFrom('incident').where('id', '=', id).execute()
    await this.#tell(transaction, origin, 'incident.removed', id, { name })
  }

  async #insert(transaction: Transaction, origin: Origin, made: Made): Promise<IncidentEntry> {
    const now = this.#now()
    const isOver = made.status === 'resolved'
    const row: IncidentRow = {
      ...{ id: randomUUIDv7(), name: made.name, status: made.status, impact: made.impact },
      ...{ service_ids: JSON.stringify(made.serviceIds), draft: made.draft ? 1 : 0, source: made.source },
      started_at: made.startedAt === undefined ? now : new Date(made.startedAt).toISOString(),
      ...{ ended_at: isOver ? now : null, created_at: now, updated_at: now },
    }
    await transaction.insertInto('incident').values(row).execute()
    if (made.body !== undefined) await this.#addUpdate(transaction, row.id, made.status, made.body)
    await this.#tell(transaction, origin, 'incident.opened', row.id, { name: row.name, draft: made.draft })
    return this.read(transaction, row.id)
  }

  async #addUpdate(transaction: Transaction, incident: string, status: string, body: string): Promise<void> {
    const row = { id: randomUUIDv7(), incident, status, body, created_at: this.#now() }
    await transaction.insertInto('incident_update').values(row).execute()
  }

  async #set(transaction: Transaction, id: string, change: Partial<IncidentRow>): Promise<void> {
    const row = { ...change, updated_at: this.#now() }
    await transaction.updateTable('incident').set(row).where('id', '=', id).execute()
  }

  async #named(transaction: Transaction, id: string): Promise<IncidentRow> {
    const row = await incidentRow(transaction, id)
    if (row) return row
    throw new Fault('not_found', `There is no incident ${id}.`)
  }

  #tell(
    transaction: Transaction,
    origin: Origin,
    type: Fact['type'],
    id: string,
    data: NonNullable<Fact['data']>,
  ): Promise<void> {
    return this.#options.events.append(transaction, origin, { type, subject: `incident/${id}`, data })
  }

  #now = () => this.#options.clock.now().toISOString()
}

interface Made extends Omit<Draft, 'source' | 'body'> {
  readonly source: string | null
  readonly body: string | undefined
  readonly status: IncidentStatus
  readonly draft: boolean
  readonly startedAt?: string | undefined
}

const missing = (field: string) =>
  new Fault('invalid_fields', `Neither the call nor a template says the ${field}.`, {
    fields: [{ field, message: 'is needed' }],
  })

/** Whoever names a service that is not there has mistyped it. */
export function refuseUnknown(ids: readonly string[], isService: (id: string) => boolean): void {
  const unknown = ids.filter(id => !isService(id))
  if (unknown.length === 0) return
  throw new Fault('invalid_fields', `There is no service ${unknown.join(', ')}.`, {
    fields: [{ field: 'service_ids', message: `must name services; unknown: ${unknown.join(', ')}` }],
  })
}
