/** All watched services as they are to be, against what they are, with everything that stands in the way. */
import {
  type EnvironmentFile,
  Fault,
  type FieldError,
  type WatchedEntry,
  type WatchedSettings,
} from '@quarterdeck/contract'
import type { Origin } from '#http'
import type { Projects } from '#projects'
import type { Transaction } from '#store'
import { changedKeys, type Services } from './services.ts'
import { type ServiceRow, settingsIn } from './stored-service.ts'

export interface ServicesWish {
  /** Undefined: they stay as they are, whatever else is wished. */
  readonly services: EnvironmentFile['services']
  /** Of projects that there will be: taken, and others can depend on them. */
  readonly names: ReadonlySet<string>
  readonly prune: boolean
}

/** Each list is by id. */
export interface ServicesPlan {
  readonly created: readonly { readonly id: string; readonly settings: WatchedSettings }[]
  readonly changed: readonly {
    readonly row: ServiceRow
    readonly before: WatchedSettings
    readonly after: WatchedSettings
  }[]
  readonly unchanged: readonly string[]
  readonly removed: readonly string[]
  readonly notNamed: readonly string[]
  /** With any, nothing may be done. Their fields are paths in the document. */
  readonly problems: readonly FieldError[]
}

export async function planServices(
  transaction: Transaction,
  { services, projects }: { services: Services; projects: Projects },
  { services: entries, names, prune }: ServicesWish,
): Promise<ServicesPlan> {
  if (!entries) return { created: [], changed: [], unchanged: [], removed: [], notNamed: [], problems: [] }
  const rows = new Map((await services.rows(transaction)).map(row => [row.id, row]))
  const problems: FieldError[] = []
  const created: { id: string; settings: WatchedSettings }[] = []
  const there: { row: ServiceRow; before: WatchedSettings; after: WatchedSettings }[] = []
  for (const [id, entry] of Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const settings = settingsFrom(id, entry)
    const row = rows.get(id)
    await noting(problems, id, async () => {
      if (names.has(id)) throw new Fault('service_exists', `There is a project ${id} in the document.`)
      if (!row) await services.refuseId(transaction, id)
      const before = row && settingsIn(row)
      const known = [...(before?.depends_on ?? []), ...Object.keys(entries), ...names]
      await projects.refuseDependencies(
        transaction,
        id,
        settings.depends_on,
        known.filter(other => other !== id),
      )
      if (row && before) there.push({ row, before, after: settings })
      else created.push({ id, settings })
    })
  }
  const others = [...rows.keys()].filter(id => !Object.hasOwn(entries, id))
  if (prune && others.length > 0 && Object.keys(entries).length === 0) problems.push(nothingNamed)
  const isChanged = ({ before, after }: (typeof there)[number]) => changedKeys(before, after).length > 0
  return {
    created,
    changed: there.filter(isChanged),
    unchanged: there.filter(each => !isChanged(each)).map(({ row }) => row.id),
    removed: prune ? others : [],
    notNamed: prune ? [] : others,
    problems,
  }
}

/** Only for a plan without problems, made in the same transaction. */
export async function performServices(
  transaction: Transaction,
  services: Services,
  origin: Origin,
  { created, changed, removed }: ServicesPlan,
): Promise<void> {
  for (const id of removed) await services.remove(transaction, origin, id)
  for (const { row, after } of changed) await services.replace(transaction, origin, row, after)
  for (const { id, settings } of created) await services.insert(transaction, origin, id, settings)
}

const nothingNamed: FieldError = {
  field: 'services',
  message: 'names none, and all that there are would be removed; remove them with `qd watch remove`',
}

const settingsFrom = (id: string, { name = id, ...entry }: WatchedEntry): WatchedSettings => ({
  name,
  ...entry,
})

/** What is refused of one service does not keep the others from being looked at. */
async function noting(problems: FieldError[], id: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const fields = error.fields.length > 0 ? error.fields : [{ field: 'id', message: error.message }]
    for (const { field, message } of fields)
      problems.push({ field: ['services', id, ...(field === 'id' ? [] : [field])].join('.'), message })
  }
}
