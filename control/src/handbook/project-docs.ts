/** What projects bring along: `docs/` of the release in place, asked of its machine whenever another one is. */
import { type ReleaseDocs, releaseDocs } from '@quarterdeck/contract'
import type { Logger } from 'pino'
import type { Events } from '#events'
import type { Fleet } from '#fleet'
import type { Store, Transaction } from '#store'
import { idOf } from './page-id.ts'
import { type Feed, fileOf, type Problem, type Source, type SourceFile } from './source.ts'

/** A machine that was away has pages, too. */
const lookMs = 60_000

export interface ProjectDocsOptions {
  store: Store
  events: Events
  fleet: Fleet
  log: Logger
}

interface InPlace {
  readonly project: string
  readonly repository: string
  readonly machine: string
  readonly sha: string
  readonly since: string
}

interface ProjectSource extends Source {
  readonly sha: string
}

export class ProjectDocs implements Feed {
  readonly #options: ProjectDocsOptions
  #sources = new Map<string, ProjectSource>()
  #asking: Promise<boolean> = Promise.resolve(false)

  constructor(options: ProjectDocsOptions) {
    this.#options = options
  }

  get sources(): readonly Source[] {
    return [...this.#sources.keys()].sort().map(name => this.#sources.get(name)!)
  }

  /** Ids of the pages that a project brings along. */
  pagesOf(project: string): string[] {
    const source = this.#sources.get(project)
    return source ? [...source.files.keys()].map(path => idOf(source.prefix, path)).sort() : []
  }

  /** Nobody waits for machines: their pages come when they have answered. */
  async load(): Promise<void> {}

  watch(changed: () => void, ended: AbortSignal): void {
    const { events, log } = this.#options
    const look = () => {
      this.#asking = this.#asking
        .then(() => (ended.aborted ? false : this.look()))
        .then(is => {
          if (is && !ended.aborted) changed()
          return is
        })
        .catch(error => {
          log.warn({ err: error }, 'the pages that projects bring along could not be read')
          return false
        })
    }
    const stop = events.watch(['instance.changed', 'project.archived'], look)
    const looking = setInterval(look, lookMs).unref()
    ended.addEventListener('abort', () => {
      stop()
      clearInterval(looking)
    })
    look()
  }

  /** Asks for what is in place and not known yet. A machine that does not answer leaves the pages as they were. */
  async look(): Promise<boolean> {
    const { store, fleet } = this.#options
    const inPlace = await store.read(deployed)
    const before = this.#sources
    const sources = new Map<string, ProjectSource>()
    let changed = false
    for (const one of inPlace) {
      const known = before.get(one.project)
      const isAsked = known?.sha !== one.sha && fleet.isConnected(one.machine)
      const source = isAsked ? await this.#ask(one).catch(() => known) : known
      if (source) sources.set(one.project, source)
      changed ||= source !== known
    }
    this.#sources = sources
    return changed || sources.size !== before.size
  }

  async #ask(one: InPlace): Promise<ProjectSource> {
    const { fleet } = this.#options
    const docs = releaseDocs.parse(await fleet.ask(one.machine, { what: 'docs', project: one.project }))
    return sourceOf(one, docs)
  }
}

function sourceOf(
  { project, repository, sha, since }: InPlace,
  { files, left_out }: ReleaseDocs,
): ProjectSource {
  const name = `${repository}/docs`
  const problems = left_out.map(
    ({ path, reason }): Problem => ({
      file: fileOf({ name }, path),
      line: null,
      message: `${reason}: left out`,
    }),
  )
  return {
    name,
    sha,
    prefix: `projects/${project}/docs`,
    files: new Map(
      files.map(({ path, text }): [string, SourceFile] => [path, { path, text, updatedAt: since }]),
    ),
    problems,
  }
}

/** Of each project the machine that was told of first by name. */
async function deployed(transaction: Transaction): Promise<InPlace[]> {
  const rows = await transaction
    .selectFrom('instance')
    .innerJoin('project', 'project.name', 'instance.project')
    .select([
      'instance.project',
      'project.repository',
      'instance.machine',
      'instance.sha',
      'project.updated_at',
    ])
    .where('project.archived_at', 'is', null)
    .where('instance.sha', 'is not', null)
    .orderBy('instance.project')
    .orderBy('instance.machine')
    .execute()
  const first = new Map<string, InPlace>()
  for (const { project, repository, machine, sha, updated_at } of rows) {
    if (!first.has(project))
      first.set(project, { project, repository, machine, sha: sha!, since: updated_at })
  }
  const runs = await transaction
    .selectFrom('run')
    .select(({ fn }) => ['project', 'sha', fn.max('ended_at').as('ended_at')])
    .where('status', '=', 'succeeded')
    .where('project', 'in', [...first.keys(), ''])
    .groupBy(['project', 'sha'])
    .execute()
  return [...first.values()].map(one => {
    const run = runs.find(({ project, sha }) => project === one.project && sha === one.sha)
    return { ...one, since: run?.ended_at ?? one.since }
  })
}
