/** A project as it is stored: what is looked for in columns of its own, the rest as JSON. */
import {
  type PlacedProject,
  type Project,
  projectPaths,
  projectProcess,
  projectSettings,
} from '@quarterdeck/contract'
import { z } from 'zod'
import type { Tables } from '#store'

export type ProjectRow = Tables['project']

/** Everything but what is found out when it is shown. */
export type StoredProject = Omit<Project, 'instances' | 'url'>

/** What a project is made with, all defaults in place. */
export type Settings = Omit<StoredProject, 'aliases' | 'held' | 'held_reason' | 'created_at' | 'updated_at'>

/** Read through the schema, so that a setting that came later has its default in projects from before it. */
const storedSettings = projectSettings
  .omit({ name: true, repository: true })
  .extend({ processes: z.array(projectProcess), paths: projectPaths })

export function storedOf(row: ProjectRow): StoredProject {
  const { name, repository, held_reason, created_at, updated_at } = row
  return {
    name,
    repository,
    ...settingsIn(row.settings),
    aliases: JSON.parse(row.aliases) as string[],
    held: row.held === 1,
    held_reason,
    created_at,
    updated_at,
  }
}

/** What was read lately, by its text, because every webhook call asks for it. */
const parsed = new Map<string, z.infer<typeof storedSettings>>()
const parsedAtMost = 1000

function settingsIn(text: string): z.infer<typeof storedSettings> {
  const known = parsed.get(text)
  if (known) return known
  const settings = storedSettings.parse(JSON.parse(text))
  if (parsed.size >= parsedAtMost) parsed.clear()
  parsed.set(text, settings)
  return settings
}

/** The columns that hold settings. */
export function columnsOf({ name, repository, ...settings }: Settings): Pick<ProjectRow, SettingsColumn> {
  return { name, repository, settings: JSON.stringify(settings) }
}
type SettingsColumn = 'name' | 'repository' | 'settings'

export function settingsOf(project: StoredProject): Settings {
  const { aliases: _a, held: _h, held_reason: _r, created_at: _c, updated_at: _u, ...settings } = project
  return settings
}

/** What an agent needs to know of it. */
export function placedOf(project: Settings): PlacedProject {
  const { name, git_url, branch, runtime, interpreter, processes } = project
  const { before_restart, linked_paths, health, limits, adopted } = project
  return {
    name,
    git_url,
    branch,
    runtime,
    interpreter,
    processes,
    before_restart,
    linked_paths,
    health,
    limits,
    adopted,
  }
}

export const webOf = ({ processes }: Pick<Settings, 'processes'>) =>
  processes.find(({ name }) => name === 'web')
