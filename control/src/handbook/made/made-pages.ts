/** Pages that nobody writes: errors from the catalogue, projects from the store. */
import type { Logger } from 'pino'
import { type Events, keepTold } from '#events'
import type { Projects } from '#projects'
import type { Store } from '#store'
import type { Feed, Source, SourceFile } from '../source.ts'
import { errorPages } from './error-pages.ts'
import { knownProjects, type ProjectFacts } from './known-projects.ts'
import { projectList, projectPage } from './project-pages.ts'

const changing = [
  'project.created',
  'project.changed',
  'project.archived',
  'project.held',
  'project.resumed',
  'run.ended',
  'problem.opened',
  'problem.ended',
  'instance.changed',
] as const

export interface MadePagesOptions {
  store: Store
  events: Events
  projects: Projects
  log: Logger
  /** When the build was made that the catalogue is of; pages of it have no other time. */
  builtAt: string
  /** Whether projects have pages. */
  isShown: boolean
  /** Whether there is a manual to lead to. */
  hasManual: boolean
  /** Ids of the pages that a project brings along. */
  docsOf(project: string): readonly string[]
}

export class MadePages implements Feed, Source {
  readonly name = 'made from what is known'
  readonly prefix = ''
  readonly shipped = true
  readonly made = true
  readonly problems = []
  readonly sources: readonly Source[] = [this]
  readonly #options: MadePagesOptions
  #files = new Map<string, SourceFile>()
  #facts: readonly ProjectFacts[] = []

  constructor(options: MadePagesOptions) {
    this.#options = options
  }

  get files(): ReadonlyMap<string, SourceFile> {
    return this.#files
  }

  async load(): Promise<void> {
    const { store, projects } = this.#options
    this.#facts = await store.read(transaction => knownProjects(transaction, projects))
    this.make()
  }

  watch(changed: () => void, ended: AbortSignal): void {
    const { store, events, log, projects } = this.#options
    void keepTold(
      { store, events, log, ended },
      {
        what: 'the pages of projects',
        changing,
        read: transaction => knownProjects(transaction, projects),
        tell: facts => {
          this.#facts = facts
          if (this.make()) changed()
        },
      },
    )
  }

  refresh(): void {
    this.make()
  }

  /** True: some page is not as it was. One that is the same stays the same file. */
  make(): boolean {
    const { builtAt, isShown, hasManual } = this.#options
    const before = this.#files
    const files = new Map<string, SourceFile>()
    const put = (path: string, made: string, updatedAt: string) => {
      const known = before.get(path)
      const text = hasManual ? made : withoutManual(made)
      files.set(
        path,
        known?.text === text && known.updatedAt === updatedAt ? known : { path, text, updatedAt },
      )
    }
    for (const [path, text] of errorPages()) put(path, text, builtAt)
    if (isShown) this.#makeProjects(put)
    this.#files = files
    return files.size !== before.size || [...files].some(([path, file]) => before.get(path) !== file)
  }

  #makeProjects(put: (path: string, text: string, updatedAt: string) => void): void {
    const { builtAt, docsOf } = this.#options
    const known = this.#facts.map(facts => ({ ...facts, docs: docsOf(facts.project.name) }))
    put('projects/index.md', projectList(known), newest(known.map(changedAt), builtAt))
    for (const one of known) put(`projects/${one.project.name}.md`, projectPage(one), changedAt(one))
  }
}

/** Links to pages of the first level become text. */
const withoutManual = (text: string) =>
  text.replace(/\[([^\]]+)\]\(\/(?!projects|errors|run-errors)[^)/]*\)/g, '$1')

const changedAt = ({ project, runs, problems }: ProjectFacts) =>
  newest(
    [
      project.updated_at,
      ...runs.map(({ endedAt }) => endedAt ?? ''),
      ...problems.map(({ openedAt, endedAt }) => endedAt ?? openedAt),
    ],
    '',
  )

const newest = (times: readonly string[], otherwise: string) => [otherwise, ...times].sort().at(-1)!
