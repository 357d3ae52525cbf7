/** The channels: added, changed, removed and shown; their secrets sealed, and opened only to send. */
import { randomBytes, randomUUIDv7 } from 'node:crypto'
import {
  type Channel,
  type ChannelCreate,
  type ChannelCreated,
  type ChannelKind,
  type ChannelSettings,
  channelSecrets,
  channelSettings,
  Fault,
} from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Events } from '#events'
import { type Cursor, type Origin, type Paged, pageOf } from '#http'
import type { SecretBox } from '#secrets'
import type { Transaction } from '#store'
import { type ChannelRow, findChannel, routesOf, unfailing, updateChannel } from './channel-row.ts'
import { openChannel } from './channels/index.ts'

export interface RegistryOptions {
  events: Events
  clock: Clock
  secrets: SecretBox
}

export class ChannelRegistry {
  readonly #options: RegistryOptions

  constructor(options: RegistryOptions) {
    this.#options = options
  }

  async create(transaction: Transaction, origin: Origin, wanted: ChannelCreate): Promise<ChannelCreated> {
    await refuseTaken(transaction, wanted.name)
    const id = randomUUIDv7()
    const { columns, secret } = await this.#columns(transaction, id, wanted)
    const created_at = columns.updated_at
    await transaction
      .insertInto('channel')
      .values({ id, ...columns, created_at, last_sent_at: null, leased_until: null, update_id: null })
      .execute()
    await this.#tell(transaction, origin, 'channel.created', id, columns)
    return { ...(await this.read(transaction, id)), secret }
  }

  /** What it could not send before is tried again at once. */
  async replace(
    transaction: Transaction,
    origin: Origin,
    id: string,
    wanted: ChannelCreate,
  ): Promise<ChannelCreated> {
    const before = await this.named(transaction, id)
    if (before.name !== wanted.name) await refuseTaken(transaction, wanted.name)
    const { columns, secret } = await this.#columns(transaction, id, wanted)
    await updateChannel(transaction, id, columns)
    await this.#tell(transaction, origin, 'channel.changed', id, columns)
    return { ...(await this.read(transaction, id)), secret }
  }

  async remove(transaction: Transaction, origin: Origin, id: string): Promise<ChannelRow> {
    const row = await this.named(transaction, id)
    await transaction.deleteFrom('delivery').where('channel_id', '=', id).execute()
    await transaction.deleteFrom('channel').where('id', '=', id).execute()
    await this.#tell(transaction, origin, 'channel.removed', id, row)
    return row
  }

  async named(transaction: Transaction, id: string): Promise<ChannelRow> {
    const row = await findChannel(transaction, id)
    if (!row) throw new Fault('not_found', `There is no channel ${id}.`)
    return row
  }

  async read(transaction: Transaction, id: string): Promise<Channel> {
    return this.#show(transaction, await this.named(transaction, id))
  }

  async list(transaction: Transaction, { limit, after }: Cursor): Promise<Paged<Channel>> {
    let query = transaction
      .selectFrom('channel')
      .selectAll()
      .orderBy('name')
      .limit(limit + 1)
    if (after !== undefined) query = query.where('name', '>', after)
    const page = pageOf(
      await query.execute(),
      limit,
      ({ name }) => name,
      row => row,
    )
    const items: Channel[] = []
    for (const row of page.items) items.push(await this.#show(transaction, row))
    return { ...page, items }
  }

  /** As it was set, secrets and all: only to send with. */
  settings({ id, settings, secret }: ChannelRow): ChannelSettings {
    const hidden =
      secret === null ? {} : (JSON.parse(this.#options.secrets.open(secret, purpose(id))) as object)
    return channelSettings.parse({ ...(JSON.parse(settings) as object), ...hidden })
  }

  async #columns(transaction: Transaction, id: string, { name, routes, settings }: ChannelCreate) {
    const { kind } = settings
    const made = kind === 'webhook' && settings.secret === undefined ? newSecret() : null
    const whole = { ...settings, ...(made !== null && { secret: made }) }
    const isSecret = (key: string) => channelSecrets[kind].includes(key)
    const split = (secret: boolean) =>
      Object.fromEntries(Object.entries(whole).filter(([key]) => isSecret(key) === secret))
    // Throws for what no channel can be opened with.
    const { place } = openChannel(whole as ChannelSettings, name)
    return {
      secret: made,
      columns: {
        name,
        kind,
        routes: JSON.stringify(routes),
        settings: JSON.stringify({ ...split(false), place }),
        secret: await this.#options.secrets.seal(transaction, JSON.stringify(split(true)), purpose(id)),
        updated_at: this.#options.clock.now().toISOString(),
        ...unfailing,
      },
    }
  }

  async #show(transaction: Transaction, row: ChannelRow): Promise<Channel> {
    const waiting = await transaction
      .selectFrom('delivery')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('channel_id', '=', row.id)
      .where('due_at', 'is not', null)
      .executeTakeFirst()
    const { place = '', kind: _kind, ...settings } = JSON.parse(row.settings) as Record<string, never>
    return {
      id: row.id,
      name: row.name,
      kind: row.kind as ChannelKind,
      routes: routesOf(row),
      settings,
      place,
      created_at: row.created_at,
      updated_at: row.updated_at,
      last_sent_at: row.last_sent_at,
      waiting: Number(waiting?.count ?? 0),
      problem: row.problem,
    }
  }

  #tell(
    transaction: Transaction,
    origin: Origin,
    type: 'channel.created' | 'channel.changed' | 'channel.removed',
    id: string,
    { name, kind }: { name: string; kind: string },
  ): Promise<void> {
    return this.#options.events.append(transaction, origin, {
      type,
      subject: `channel/${id}`,
      data: { name, kind },
    })
  }
}

const purpose = (id: string) => `channel/${id}`
const newSecret = () => randomBytes(32).toString('base64url')

async function refuseTaken(transaction: Transaction, name: string): Promise<void> {
  const taken = await transaction
    .selectFrom('channel')
    .select('id')
    .where('name', '=', name)
    .executeTakeFirst()
  if (taken) throw new Fault('channel_exists', `There is a channel ${name} already.`)
}
