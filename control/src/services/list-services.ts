/** All services in one list: of projects, watched only, and the environment’s own. */
import { Fault, type Project, type ServiceEntry, type ServiceKind } from '@quarterdeck/contract'
import { type Cursor, type Paged, pageOf } from '#http'
import type { Projects } from '#projects'
import type { Transaction } from '#store'
import { entryOf, rowOf, rowsAfter } from './stored-service.ts'

/** A host, the edge or the agents: an API of the environment. */
export interface OwnService {
  readonly id: string
  readonly name: string
  readonly group: string
  readonly description: string | null
  /** Null: it has no address that is the same for all. */
  readonly site: string | null
}

export interface ServiceSources {
  projects: Projects
  own: readonly OwnService[]
}

export interface ServiceFilter {
  readonly kind?: ServiceKind | undefined
  /** The projects that the asker is limited to; null: no limit. */
  readonly only: readonly string[] | null
}

/** By id. */
export async function listServices(
  transaction: Transaction,
  { projects, own }: ServiceSources,
  { kind, only }: ServiceFilter,
  { limit, after }: Cursor,
): Promise<Paged<ServiceEntry>> {
  const wants = (each: ServiceKind) => kind === undefined || kind === each
  // One more of each than fits tells whether there is another page.
  const cursor = { limit: limit + 1, after }
  const all: ServiceEntry[] = []
  if (wants('project')) all.push(...(await projects.list(transaction, cursor, only)).items.map(ofProject))
  if (wants('watched') && only === null) all.push(...(await rowsAfter(transaction, cursor)).map(entryOf))
  if (wants('own')) all.push(...own.filter(({ id }) => after === undefined || id > after).map(ofOwn))
  all.sort((a, b) => (a.id < b.id ? -1 : 1))
  return pageOf(
    all,
    limit,
    ({ id }) => id,
    entry => entry,
  )
}

/** One of them. */
export async function readService(
  transaction: Transaction,
  { projects, own }: ServiceSources,
  only: readonly string[] | null,
  id: string,
): Promise<ServiceEntry> {
  const ours = own.find(each => each.id === id)
  if (ours) return ofOwn(ours)
  const row = only === null ? await rowOf(transaction, id) : undefined
  if (row) return entryOf(row)
  const isShown = only === null || only.includes(id)
  if (isShown && (await projects.find(transaction, id)))
    return ofProject(await projects.read(transaction, id))
  throw new Fault('not_found', `There is no service ${id}.`)
}

const ofProject = ({ name, group, description, url, depends_on, runbook }: Project): ServiceEntry => ({
  ...{ id: name, kind: 'project', name, group, description, url, depends_on, runbook },
  watched: null,
})

const ofOwn = ({ id, name, group, description, site }: OwnService): ServiceEntry => ({
  ...{ id, kind: 'own', name, group, description, url: site, depends_on: [], runbook: null },
  watched: null,
})
