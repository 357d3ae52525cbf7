/** What is sent becomes settings: of a new project, or of one that is changed. */
import { isDeepStrictEqual } from 'node:util'
import { defaultPaths, type ProjectChange, type ProjectCreate, projectCreate } from '@quarterdeck/contract'
import { checked } from '#http'
import { type Settings, type StoredProject, settingsOf, webOf } from './stored-project.ts'

/** `start` and `port` become the process web. Its port may still be null: it is given one where ports are known. */
export function settingsFrom(body: ProjectCreate): Settings {
  const { start = [], port, processes = [{ name: 'web', start, port }], paths, ...settings } = body
  return {
    ...settings,
    processes: processes.map(process => ({
      ...process,
      port: process.port ?? null,
      timer: process.timer ?? null,
      socket: process.socket ?? false,
    })),
    paths: paths ?? [...defaultPaths[body.runtime]],
  }
}

/** Only what is sent is changed. The whole is checked as a new project would be. */
export function settingsAfter(project: StoredProject, change: ProjectChange): Settings {
  const { processes = project.processes, ...rest } = change
  const port = webOf(project)?.port
  return settingsFrom(
    checked(projectCreate, {
      ...settingsOf(project),
      ...rest,
      limits: { ...project.limits, ...change.limits },
      // A web process that is sent without a port stays where it is.
      processes: processes.map(process =>
        process.name === 'web' ? { ...process, port: process.port ?? port } : process,
      ),
    }),
  )
}

/** Names of the settings that differ. */
export const changedKeys = (before: Settings, after: Settings): string[] =>
  (Object.keys(after) as (keyof Settings)[]).filter(key => !isDeepStrictEqual(before[key], after[key]))

/** Earlier names of the repository once it is called `repository`. */
export function aliasesAfter(project: StoredProject, repository: string): string[] {
  const isNew = (name: string) => !sameRepository(name, repository)
  const aliases = project.aliases.filter(isNew)
  const isKnown = aliases.some(alias => sameRepository(alias, project.repository))
  return isNew(project.repository) && !isKnown ? [...aliases, project.repository] : aliases
}

/** Forges do not tell letter case apart. */
export const sameRepository = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
