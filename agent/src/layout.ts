/** Where everything of a project lies on a machine. */
import { join } from 'node:path'

export interface Layout {
  readonly project: string
  readonly root: string
  /** The working copy. */
  readonly work: string
  /** Immutable releases, by commit. */
  readonly releases: string
  /** By hash. */
  readonly environments: string
  /** The only place that the service may write. */
  readonly data: string
  /** A link to the release in place. */
  readonly current: string
  release(sha: string): string
  environment(hash: string): string
}

/** There while a run of the project is open: that run decides what is in place, and nothing aligns it. */
export const openMark = (agentHome: string, project: string): string => join(agentHome, 'open', project)

/** `name` was checked to be a slug: it is safe as a part of a path. */
export function layoutOf(home: string, name: string): Layout {
  const root = join(home, 'projects', name)
  return {
    project: name,
    root,
    work: join(root, 'work'),
    releases: join(root, 'releases'),
    environments: join(root, 'environments'),
    data: join(root, 'data'),
    current: join(root, 'current'),
    release: sha => join(root, 'releases', sha),
    environment: hash => join(root, 'environments', hash),
  }
}
