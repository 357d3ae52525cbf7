/** All projects as they are to be, against what they are: planned as a whole, with everything that stands in the way. */
import { isDeepStrictEqual } from 'node:util'
import {
  type EnvironmentFile,
  Fault,
  type FieldError,
  type ProjectEntry,
  projectCreate,
} from '@quarterdeck/contract'
import { checked, type Origin } from '#http'
import type { Transaction } from '#store'
import { type BusyPorts, noneBusy, type PortInUse } from './ports.ts'
import type { Projects } from './projects.ts'
import { refuseWhile, storedProjects } from './rows.ts'
import { changedKeys, settingsFrom } from './settings.ts'
import { type Settings, type StoredProject, settingsOf, webOf } from './stored-project.ts'

export interface ProjectsWish {
  readonly projects: EnvironmentFile['projects']
  /** Ids of services that there will be, too. */
  readonly services?: ReadonlySet<string>
  /** Whether what is not named is archived. */
  readonly prune: boolean
}

/** Each list is by name. */
export interface ProjectsPlan {
  readonly created: readonly Settings[]
  readonly changed: readonly { readonly before: StoredProject; readonly after: Settings }[]
  readonly unchanged: readonly StoredProject[]
  readonly archived: readonly StoredProject[]
  readonly notNamed: readonly StoredProject[]
  /** Whatever is wrong: with any, nothing may be done. Its fields are paths in the document. */
  readonly problems: readonly FieldError[]
}

/** By project: what other programs listen on, where it would. */
export type BusyForPlan = ReadonlyMap<string, BusyPorts>

interface Wanted {
  readonly before: StoredProject | undefined
  readonly settings: Settings
}

export async function planProjects(
  transaction: Transaction,
  projects: Projects,
  wish: ProjectsWish,
  busy: BusyForPlan = new Map(),
): Promise<ProjectsPlan> {
  const { wanted, archived, notNamed, problems } = await look(transaction, projects, wish)
  for (const { name } of archived) {
    await noting(problems, name, () => refuseWhile(transaction, name, ['queued', 'running']))
  }
  if (archived.length > 0 && wanted.length === 0) problems.push(nothingNamed)
  const settled = await withPorts(projects, wanted, notNamed, busy, problems)
  const isChanged = ({ before, settings }: Wanted) =>
    before !== undefined && changedKeys(settingsOf(before), settings).length > 0
  return {
    created: settled.flatMap(({ before, settings }) => (before ? [] : [settings])),
    changed: settled.filter(isChanged).map(({ before, settings }) => ({ before: before!, after: settings })),
    unchanged: settled.flatMap(each => (each.before && !isChanged(each) ? [each.before] : [])),
    archived,
    notNamed,
    problems,
  }
}

/** Asks the agents, outside of any transaction, about the ports that would be new to a project. */
export async function busyForPlan(projects: Projects, wish: ProjectsWish): Promise<BusyForPlan> {
  const { ports } = projects
  const questions = await projects.store.read(async transaction => {
    const { wanted, archived, notNamed } = await look(transaction, projects, wish)
    const all = [...notNamed, ...wanted.map(({ settings }) => settings)]
    // The units of what is archived are gone by the time that others start. Adopted ones go on.
    const freed = await listening(
      transaction,
      projects,
      archived.filter(({ adopted }) => !adopted),
    )
    const asked: { settings: Settings; ports: number[]; own: PortInUse[] }[] = []
    for (const { before, settings } of wanted) {
      if (before && ports.isKept(before, settings, webOf(settings)?.port ?? null)) continue
      const own = before ? await projects.listening(transaction, before) : []
      asked.push({ settings, ports: ports.wantedAmong(all, settings), own: [...freed, ...own] })
    }
    return asked
  })
  const answers = questions.map(
    async ({ settings, ports: asked, own }) =>
      [settings.name, await ports.busy(asked, settings, own)] as const,
  )
  return new Map(await Promise.all(answers))
}

/** Only for a plan without problems, made in the same transaction. */
export async function performProjects(
  transaction: Transaction,
  projects: Projects,
  origin: Origin,
  { created, changed }: ProjectsPlan,
): Promise<void> {
  for (const { before, after } of changed) await projects.replace(transaction, origin, before, after)
  for (const settings of created) await projects.insert(transaction, origin, settings)
}

/** Before ports are given out. What cannot be is left out, and noted. */
async function look(
  transaction: Transaction,
  projects: Projects,
  { projects: entries, services = new Set(), prune }: ProjectsWish,
) {
  const problems: FieldError[] = []
  const there = await storedProjects(transaction)
  const wanted: Wanted[] = []
  for (const [name, entry] of Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const before = there.find(project => project.name === name)
    await noting(problems, name, async () => {
      if (!before) await projects.refuseName(transaction, name)
      const known = [...(before?.depends_on ?? []), ...Object.keys(entries), ...services]
      await projects.refuseDependencies(
        transaction,
        name,
        entry.depends_on,
        known.filter(other => other !== name),
      )
      wanted.push({ before, settings: before ? renewed(before, entry) : begun(name, entry) })
    })
  }
  const others = there.filter(({ name }) => !Object.hasOwn(entries, name))
  return { problems, wanted, archived: prune ? others : [], notNamed: prune ? [] : others }
}

async function listening(
  transaction: Transaction,
  projects: Projects,
  list: readonly StoredProject[],
): Promise<PortInUse[]> {
  const places: PortInUse[] = []
  for (const project of list) places.push(...(await projects.listening(transaction, project)))
  return places
}

function begun(name: string, entry: ProjectEntry): Settings {
  if (entry.adopted) {
    throw new Fault('not_adoptable', `${name} is not there yet.`, {
      fields: [
        {
          field: 'adopted',
          message: `${name} is not there yet, and what runs already is taken over with \`qd project adopt\``,
        },
      ],
    })
  }
  return settingsFrom(checked(projectCreate, { ...entry, name }))
}

/** What is not said becomes its default, except for what only this project can have: its port, and where it was adopted. */
function renewed(before: StoredProject, entry: ProjectEntry): Settings {
  const { adopted } = before
  if (entry.adopted && !isDeepStrictEqual(entry.adopted, adopted)) {
    throw new Fault('not_adoptable', `${before.name} was adopted otherwise.`, {
      fields: [{ field: 'adopted', message: 'stays as it was when the project was added; leave it out' }],
    })
  }
  const settings = settingsFrom(checked(projectCreate, { ...entry, adopted, name: before.name }))
  const port = webOf(before)?.port ?? null
  return {
    ...settings,
    processes: settings.processes.map(process =>
      process.name === 'web' ? { ...process, port: process.port ?? port } : process,
    ),
  }
}

/** Ports that are said come first; the rest gets what is then free. All count as they will be, not as they were. */
async function withPorts(
  projects: Projects,
  wanted: readonly Wanted[],
  staying: readonly Settings[],
  busy: BusyForPlan,
  problems: FieldError[],
): Promise<Wanted[]> {
  const final = new Map<string, Settings>([
    ...staying.map(project => [project.name, project] as const),
    ...wanted.map(({ settings }) => [settings.name, settings] as const),
  ])
  for (const { before, settings } of wanted) {
    const { name } = settings
    await noting(problems, name, async () => {
      const others = [...final.values()].filter(other => other.name !== name)
      final.set(name, projects.ports.settleAmong(others, settings, busy.get(name) ?? noneBusy, before))
    })
  }
  return wanted.map(({ before, settings }) => ({ before, settings: final.get(settings.name)! }))
}

const nothingNamed: FieldError = {
  field: 'projects',
  message: 'names none, and all that there are would be archived; archive them with `qd project archive`',
}

/** What is refused of one project does not keep the others from being looked at. */
async function noting(problems: FieldError[], name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const fields = error.fields.length > 0 ? error.fields : [{ field: '', message: error.message }]
    for (const { field, message } of fields) {
      const path = field === '' || field === 'name' ? [] : [field]
      problems.push({ field: ['projects', name, ...path].join('.'), message })
    }
  }
}
