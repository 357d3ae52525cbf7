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
import { bySystem, type Cursor, type Origin, type Paged } from '#http'
import type { Transaction } from '#store'
import { type NoticeOptions, NoticeRows } from '../notice-rows.ts'
import { entriesOf, type IncidentRow } from './stored-incident.ts'
import type { IncidentTemplates } from './templates.ts'

/** Clocks of others may be ahead. */
const skewMs = 60_000

export interface IncidentsOptions extends NoticeOptions {
  readonly templates: IncidentTemplates
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
  readonly #rows: NoticeRows<'incident'>
  readonly #templates: IncidentTemplates

  constructor(options: IncidentsOptions) {
    this.#rows = new NoticeRows('incident', options)
    this.#templates = options.templates
  }

  async open(transaction: Transaction, origin: Origin, wanted: IncidentCreate): Promise<IncidentEntry> {
    const template =
      wanted.template === undefined ? undefined : await this.#templates.read(transaction, wanted.template)
    const name = wanted.name ?? template?.title
    const body = wanted.body ?? template?.body
    const serviceIds = wanted.service_ids ?? template?.service_ids ?? []
    if (name === undefined) throw missing('name')
    if (body === undefined && !wanted.draft) throw missing('body')
    if (wanted.started_at !== undefined && Date.parse(wanted.started_at) > this.#rows.nowMs() + skewMs)
      throw new Fault('invalid_fields', 'An incident has begun: what is to come is a maintenance.', {
        fields: [{ field: 'started_at', message: 'must not lie in the future' }],
      })
    this.#rows.refuseUnknown(serviceIds)
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

  /** What has opened it is over, and nobody has published it or begun to write. */
  async dropDraft(transaction: Transaction, origin: Origin, source: string): Promise<void> {
    const draft = await transaction
      .selectFrom('incident')
      .select('id')
      .where('source', '=', source)
      .where('draft', '=', 1)
      .whereRef('updated_at', '=', 'created_at')
      .executeTakeFirst()
    if (draft) await this.remove(transaction, origin, draft.id)
  }

  async read(transaction: Transaction, id: string): Promise<IncidentEntry> {
    return (await entriesOf(transaction, [await this.#rows.named(transaction, id)]))[0]!
  }

  /** Newest first. */
  async list(transaction: Transaction, cursor: Cursor, open = false): Promise<Paged<IncidentEntry>> {
    const { items, next_cursor } = await this.#rows.page(transaction, cursor, query =>
      open ? query.where('ended_at', 'is', null) : query,
    )
    return { items: await entriesOf(transaction, items), next_cursor }
  }

  async change(
    transaction: Transaction,
    origin: Origin,
    id: string,
    { name, impact, service_ids, draft }: IncidentChange,
  ): Promise<IncidentEntry> {
    const row = await this.#rows.named(transaction, id)
    this.#rows.refuseUnknown(service_ids ?? [], JSON.parse(row.service_ids) as string[])
    await this.#rows.set(transaction, id, {
      ...(name !== undefined && { name }),
      ...(impact && { impact }),
      ...(service_ids && { service_ids: JSON.stringify(service_ids) }),
      ...(draft === false && { draft: 0 }),
    })
    const isPublished = row.draft === 1 && draft === false
    await this.#rows.tell(transaction, origin, 'incident.changed', id, { published: isPublished })
    return this.read(transaction, id)
  }

  /** With the status resolved it ends, and takes no update any more. */
  async update(
    transaction: Transaction,
    origin: Origin,
    id: string,
    { status, body }: IncidentUpdateCreate,
  ): Promise<IncidentEntry> {
    const row = await this.#rows.named(transaction, id)
    if (row.ended_at !== null) throw new Fault('notice_over', `The incident ${row.name} is resolved.`)
    const next = status ?? (row.status as IncidentStatus)
    const now = this.#rows.now()
    await this.#addUpdate(transaction, id, next, body)
    await this.#rows.set(transaction, id, { status: next, ...(next === 'resolved' && { ended_at: now }) })
    await this.#rows.tell(transaction, origin, 'incident.changed', id, { status: next })
    return this.read(transaction, id)
  }

  async remove(transaction: Transaction, origin: Origin, id: string): Promise<undefined> {
    const { name } = await this.#rows.named(transaction, id)
    await transaction.deleteFrom('incident_update').where('incident', '=', id).execute()
    await transaction.deleteFrom('incident').where('id', '=', id).execute()
    await this.#rows.tell(transaction, origin, 'incident.removed', id, { name })
  }

  async #insert(transaction: Transaction, origin: Origin, made: Made): Promise<IncidentEntry> {
    const now = this.#rows.now()
    const isOver = made.status === 'resolved'
    const row: IncidentRow = {
      ...{ id: randomUUIDv7(), name: made.name, status: made.status, impact: made.impact },
      ...{ service_ids: JSON.stringify(made.serviceIds), draft: made.draft ? 1 : 0, source: made.source },
      started_at: made.startedAt === undefined ? now : new Date(made.startedAt).toISOString(),
      ...{ ended_at: isOver ? now : null, created_at: now, updated_at: now },
    }
    await transaction.insertInto('incident').values(row).execute()
    if (made.body !== undefined) await this.#addUpdate(transaction, row.id, made.status, made.body)
    await this.#rows.tell(transaction, origin, 'incident.opened', row.id, {
      name: row.name,
      draft: made.draft,
    })
    return this.read(transaction, row.id)
  }

  async #addUpdate(transaction: Transaction, incident: string, status: string, body: string): Promise<void> {
    const row = { id: randomUUIDv7(), incident, status, body, created_at: this.#rows.now() }
    await transaction.insertInto('incident_update').values(row).execute()
  }
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
