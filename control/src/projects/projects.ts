/** The registry of projects: added, changed, held, archived. What is on the machines follows from it. */
import {
  Fault,
  type PlacedProject,
  type Project,
  type ProjectChange,
  type ProjectCreate,
} from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Events, Fact } from '#events'
import { type Fleet, instancesOf } from '#fleet'
import { type Cursor, type Origin, type Paged, pageOf } from '#http'
import type { Store, Transaction } from '#store'
import { refuseDependencies } from './dependencies.ts'
import { alwaysReserved, refuseName } from './names.ts'
import { type BusyPorts, noneBusy, type PortInUse, Ports } from './ports.ts'
import { refuseWhile, rowOf } from './rows.ts'
import { aliasesAfter, changedKeys, sameRepository, settingsAfter, settingsFrom } from './settings.ts'
import {
  columnsOf,
  type ProjectRow,
  placedOf,
  type Settings,
  type StoredProject,
  settingsOf,
  storedOf,
  webOf,
} from './stored-project.ts'

export interface ProjectsOptions {
  store: Store
  events: Events
  clock: Clock
  fleet: Fleet
  /** Of a project's sub-domain. */
  url(name: string): string
  /** The environment's own. */
  reservedPorts: readonly number[]
  /** Beside those that are always reserved. */
  reservedNames: readonly string[]
}

export class Projects {
  /** For work that has to wait for more than the database, and so cannot be given a transaction. */
  readonly store: Store
  readonly ports: Ports
  readonly #options: ProjectsOptions
  readonly #reservedNames: ReadonlySet<string>

  constructor(options: ProjectsOptions) {
    this.store = options.store
    this.#options = options
    this.#reservedNames = new Set([...alwaysReserved, ...options.reservedNames])
    this.ports = new Ports(options.fleet, options.reservedPorts)
  }

  /** `busy` is what `busyPorts` told before the transaction. */
  async create(
    transaction: Transaction,
    origin: Origin,
    body: ProjectCreate,
    busy: BusyPorts = noneBusy,
  ): Promise<Project> {
    const settings = await this.wouldCreate(transaction, settingsFrom(body), busy)
    return this.#show(transaction, await this.insert(transaction, origin, settings))
  }

  /** A new project of settings that nothing stands in the way of. */
  async insert(transaction: Transaction, origin: Origin, settings: Settings): Promise<StoredProject> {
    const now = this.#now()
    const row: ProjectRow = {
      ...columnsOf(settings),
      aliases: '[]',
      held: 0,
      held_reason: null,
      created_at: now,
      updated_at: now,
      archived_at: null,
    }
    await transaction.insertInto('project').values(row).execute()
    const { name, repository } = settings
    await this.tell(transaction, origin, 'project.created', name, { repository })
    return storedOf(row)
  }

  /** What a new project would be like; a fault if there can be none of this name or port. */
  async wouldCreate(transaction: Transaction, settings: Settings, busy: BusyPorts): Promise<Settings> {
    await this.refuseName(transaction, settings.name)
    await this.refuseDependencies(transaction, settings.name, settings.depends_on)
    return this.ports.settle(transaction, settings, busy)
  }

  /** A project that is not archived. */
  async find(transaction: Transaction, name: string): Promise<StoredProject | undefined> {
    const row = await rowOf(transaction, name)
    return row && row.archived_at === null ? storedOf(row) : undefined
  }

  /** The same, or a fault. */
  async named(transaction: Transaction, name: string): Promise<StoredProject> {
    const project = await this.find(transaction, name)
    if (!project) throw new Fault('not_found', `There is no project ${name}.`)
    return project
  }

  async read(transaction: Transaction, name: string): Promise<Project> {
    return this.#show(transaction, await this.named(transaction, name))
  }

  /** By name. `only` limits the list; null: all. */
  async list(
    transaction: Transaction,
    { limit, after }: Cursor,
    only: readonly string[] | null = null,
  ): Promise<Paged<Project>> {
    let query = transaction
      .selectFrom('project')
      .selectAll()
      .where('archived_at', 'is', null)
      .orderBy('name')
      .limit(limit + 1)
    // No project has the empty name; a list of nothing is not SQL.
    if (only) query = query.where('name', 'in', [...only, ''])
    if (after !== undefined) query = query.where('name', '>', after)
    const { items, next_cursor } = pageOf(await query.execute(), limit, row => row.name, storedOf)
    const shown: Project[] = []
    for (const project of items) shown.push(await this.#show(transaction, project))
    return { items: shown, next_cursor }
  }

  /** What changes nothing is no change: neither its time nor an event tells of it. */
  async change(
    transaction: Transaction,
    origin: Origin,
    name: string,
    change: ProjectChange,
    busy: BusyPorts = noneBusy,
  ): Promise<Project> {
    const project = await this.named(transaction, name)
    const wanted = settingsAfter(project, change)
    await this.refuseDependencies(transaction, name, wanted.depends_on, project.depends_on)
    const settings = await this.ports.settle(transaction, wanted, busy, project)
    await this.replace(transaction, origin, project, settings)
    return this.read(transaction, name)
  }

  /** Gives a project settings that nothing stands in the way of. */
  async replace(
    transaction: Transaction,
    origin: Origin,
    before: StoredProject,
    settings: Settings,
  ): Promise<void> {
    const changed = changedKeys(settingsOf(before), settings)
    if (changed.length === 0) return
    const aliases = JSON.stringify(aliasesAfter(before, settings.repository))
    await this.#update(transaction, before.name, { ...columnsOf(settings), aliases })
    await this.tell(transaction, origin, 'project.changed', before.name, { changed })
  }

  /** Its name and data stay; whoever archives it also revokes its tokens and removes its units. */
  async archive(transaction: Transaction, origin: Origin, name: string): Promise<void> {
    await this.named(transaction, name)
    await refuseWhile(transaction, name, ['queued', 'running'])
    await this.#update(transaction, name, { archived_at: this.#now() })
    await this.tell(transaction, origin, 'project.archived', name)
  }

  /** Holding what is held gives it the newer reason. */
  async hold(
    transaction: Transaction,
    origin: Origin,
    name: string,
    reason: string | null,
  ): Promise<Project> {
    const project = await this.named(transaction, name)
    const held_reason = reason || null
    if (!project.held || project.held_reason !== held_reason) {
      await this.#update(transaction, name, { held: 1, held_reason })
      await this.tell(transaction, origin, 'project.held', name, { reason: held_reason })
    }
    return this.read(transaction, name)
  }

  async resume(transaction: Transaction, origin: Origin, name: string): Promise<Project> {
    const project = await this.named(transaction, name)
    if (project.held) {
      await this.#update(transaction, name, { held: 0, held_reason: null })
      await this.tell(transaction, origin, 'project.resumed', name)
    }
    return this.read(transaction, name)
  }

  /** Records that its units were started, stopped or restarted. */
  async acted(transaction: Transaction, origin: Origin, name: string, data: Fact['data']): Promise<Project> {
    await this.tell(transaction, origin, 'project.acted', name, data)
    return this.read(transaction, name)
  }

  /** What other programs listen on, of the ports that a new project could get; asked outside of any transaction. */
  busyPorts(body: ProjectCreate): Promise<BusyPorts> {
    // What is adopted listens already.
    return body.adopted ? Promise.resolve(noneBusy) : this.#busy(settingsFrom(body))
  }

  /** The same for a change. */
  async busyPortsAfter(name: string, change: ProjectChange): Promise<BusyPorts> {
    const project = await this.store.read(transaction => this.named(transaction, name))
    return this.#busy(settingsAfter(project, change), project)
  }

  /** A project at this moment; a fault while a run of it is running. For work that waits for machines. */
  idle(name: string): Promise<StoredProject> {
    return this.store.read(async transaction => {
      const project = await this.named(transaction, name)
      await refuseWhile(transaction, name, ['running'])
      return project
    })
  }

  /** Whether a caller who says `sent` means this project: letter case aside, earlier names allowed. */
  repositoryMatches({ repository, aliases }: StoredProject, sent: string): boolean {
    return [repository, ...aliases].some(known => sameRepository(known, sent))
  }

  /** What an agent needs to know of it. */
  placed(project: StoredProject): PlacedProject {
    return placedOf(project)
  }

  /** Where a project listens, or may already. */
  async listening(transaction: Transaction, project: StoredProject): Promise<PortInUse[]> {
    const port = webOf(project)?.port ?? null
    const placed = this.#options.fleet.placement(project).map(({ name }) => ({ machine: name, port }))
    return [...placed, ...(await instancesOf(transaction, project.name))]
  }

  async #busy(settings: Settings, before?: StoredProject): Promise<BusyPorts> {
    const { ports, own } = await this.store.read(async transaction => ({
      ports: await this.ports.wanted(transaction, settings),
      own: before ? await this.listening(transaction, before) : [],
    }))
    return this.ports.busy(ports, settings, own)
  }

  /** A fault if a service cannot depend on these; on those that it has depended on before it may. */
  refuseDependencies(
    transaction: Transaction,
    id: string,
    ids: readonly string[],
    before: readonly string[] = [],
  ): Promise<void> {
    const added = ids.filter(other => !before.includes(other))
    return refuseDependencies(transaction, id, added, this.#reservedNames)
  }

  /** A fault if nothing new can be called so. */
  refuseName(transaction: Transaction, name: string): Promise<void> {
    return refuseName(transaction, name, this.#reservedNames)
  }

  async #show(transaction: Transaction, project: StoredProject): Promise<Project> {
    return {
      ...project,
      instances: await instancesOf(transaction, project.name),
      url: webOf(project) ? this.#options.url(project.name) : null,
    }
  }

  async #update(transaction: Transaction, name: string, change: Partial<ProjectRow>): Promise<void> {
    const row = { ...change, updated_at: this.#now() }
    await transaction.updateTable('project').set(row).where('name', '=', name).execute()
  }

  /** Appends what happened to a project. */
  tell(
    transaction: Transaction,
    origin: Origin,
    type: Fact['type'],
    name: string,
    data: Fact['data'] = {},
  ): Promise<void> {
    return this.#options.events.append(transaction, origin, { type, subject: `project/${name}`, data })
  }

  #now = () => this.#options.clock.now().toISOString()
}
