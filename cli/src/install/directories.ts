/** The directories, each with its owner: what control, the agent and installers may write is theirs alone. */
import { mkdirSync, rmSync } from 'node:fs'
import { places } from './places.ts'
import type { Act, Step } from './step.ts'
import { controlUser, userOf } from './users.ts'
import { hasRights, type Rights, setRights, statOf } from './whole-file.ts'

export const directorySteps = (): Step[] => [
  { ...directory(places.data, 0o755), undo: removal(places.data) },
  directory(places.control, 0o700, controlUser),
  directory(places.agent, 0o700),
  directory(places.projects, 0o755),
  directory(places.cache, 0o700),
  { ...directory(places.settings, 0o755), undo: removal(places.settings) },
]

/** No step makes them, since systemd does. */
export const compileCacheRemovals = (): Act[] => places.compileCaches.map(removal)

function directory(path: string, mode: number, owner?: string): Step {
  return {
    what: `make the directory ${path}`,
    isDone() {
      const rights = rightsOf(mode, owner)
      const stat = statOf(path)
      return rights !== undefined && stat?.isDirectory() === true && hasRights(stat, rights)
    },
    do() {
      mkdirSync(path, { recursive: true })
      if (!statOf(path)?.isDirectory()) throw new Error(`${path} is a link, not a directory`)
      setRights(path, rightsOf(mode, owner)!)
    },
  }
}

/** Undefined: the owner is not there yet. */
function rightsOf(mode: number, owner: string | undefined): Rights | undefined {
  if (owner === undefined) return { mode }
  const user = userOf(owner)
  return user && { mode, uid: user.uid, gid: user.gid }
}

function removal(path: string): Act {
  return {
    what: `remove ${path} with all that is in it`,
    isDone: () => statOf(path) === undefined,
    do: () => rmSync(path, { recursive: true, force: true }),
  }
}
