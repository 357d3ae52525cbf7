/** The handbook of an environment: which pages it has, by its configuration. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { buildSha, type Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import type { Events } from '#events'
import type { Fleet } from '#fleet'
import { configuredFolders, Folder, Handbook, MadePages, ProjectDocs } from '#handbook'
import type { Projects } from '#projects'
import type { Store } from '#store'
import type { Addresses } from './addresses.ts'
import type { Config } from './config.ts'

export interface HandbookParts {
  config: Config
  /** Where the code lies: the manual came with it. */
  root: string
  urls: Addresses
  store: Store
  events: Events
  clock: Clock
  log: Logger
  fleet: Fleet
  projects: Projects
}

export function openHandbook({ config, root, urls, clock, ...parts }: HandbookParts): Handbook {
  const { title, description = null, language, projects } = config.handbook
  const docs = new ProjectDocs(parts)
  const made = new MadePages({
    ...parts,
    builtAt: builtAt(root),
    isShown: projects,
    hasManual: config.handbook.manual,
    docsOf: project => docs.pagesOf(project),
  })
  return new Handbook({
    about: {
      title,
      description,
      language,
      url: urls.url('docs').replace(/\/$/, ''),
      homeUrl: urls.url(),
      sha: buildSha(root),
    },
    // The first of two pages of one name counts: one’s own before those that came along.
    feeds: [
      ...configuredFolders(config, root).map(folder => new Folder(folder)),
      ...(projects ? [docs] : []),
      made,
    ],
    cache: join(config.home, 'handbook'),
    clock,
    log: parts.log,
  })
}

/** Whatever comes with the code is as old as it. */
function builtAt(root: string): string {
  const { mtime } = statSync(join(root, 'package.json'), { throwIfNoEntry: false }) ?? statSync(root)
  mtime.setMilliseconds(0)
  return mtime.toISOString().replace('.000Z', 'Z')
}
