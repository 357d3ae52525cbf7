/** What a project has on this machine: its places, its releases and environments, and what of it last proved to run. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type PlacedProject, placedProject, sha } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import { z } from 'zod'
import { trustInSystem } from './commands/git.ts'
import { type GitPlace, gitEnvironment } from './commands/git-call.ts'
import { giveTree } from './commands/users.ts'
import type { Custody } from './custody.ts'
import { Environments } from './environments.ts'
import { type Layout, layoutOf } from './layout.ts'
import type { Machine } from './machine.ts'
import { Releases } from './releases.ts'
import type { Run } from './runtimes/runtime.ts'
import { writeWhole } from './whole-file.ts'
import { WorkCopy } from './work-copy.ts'

/** A release, and how its units are started. */
const placed = z.object({ sha, environment: z.string(), project: placedProject })
export type Placed = z.infer<typeof placed>

const siteState = z.object({
  /** The commit that the agent itself last put into the working copy. */
  put: sha.nullable().default(null),
  /** What last proved to run: what a failed deploy goes back to. */
  proven: placed.nullable().default(null),
})
export type SiteState = z.infer<typeof siteState>

export class Site {
  readonly layout: Layout
  readonly releases: Releases
  readonly environments: Environments
  readonly #custody: Custody
  readonly #git: GitPlace
  readonly #clock: Clock
  readonly #file: string

  constructor(machine: Pick<Machine, 'home' | 'agentHome' | 'env' | 'clock' | 'custody'>, name: string) {
    const { home, agentHome, env, clock, custody } = machine
    this.layout = layoutOf(home, name)
    this.#custody = custody
    this.#git = {
      work: this.layout.work,
      env: gitEnvironment(custody.git?.home ?? agentHome, env),
      ...(custody.git && { identity: custody.git }),
    }
    this.#clock = clock
    this.#file = join(this.layout.root, 'site.json')
    this.releases = new Releases({ layout: this.layout, git: this.#git, clock })
    this.environments = new Environments(this.layout, () => clock.now())
  }

  /** The places of the project, each in the hands of who writes there. */
  async prepare(run: Run): Promise<void> {
    const { releases, data, work } = this.layout
    mkdirSync(releases, { recursive: true, mode: 0o755 })
    this.#custody.giveToGit(releases)
    mkdirSync(data, { recursive: true, mode: 0o700 })
    await this.#custody.provideUser(this.layout, run)
    const { git } = this.#custody
    if (!git) return
    // Root may use git here, which it else refuses in what is another's; and leaves files behind that are root's.
    if (!textOf(systemGitConfig).includes(`directory = ${work}\n`)) await run(trustInSystem(work))
    if (isTouchedByRoot(join(work, '.git'))) await run(giveTree(work, git.name))
  }

  workCopy({ git_url, branch }: PlacedProject, run: Run): WorkCopy {
    return new WorkCopy({
      layout: this.layout,
      git: this.#git,
      run,
      clock: this.#clock,
      source: { git_url, branch },
    })
  }

  /** A file that is missing or spoilt tells nothing. */
  get state(): SiteState {
    try {
      return siteState.parse(JSON.parse(readFileSync(this.#file, 'utf8')))
    } catch {
      return { put: null, proven: null }
    }
  }

  /** Adds to it, in one rename. */
  remember(change: Partial<SiteState>): void {
    writeWhole(this.#file, JSON.stringify({ ...this.state, ...change }), 0o600)
  }
}

const systemGitConfig = '/etc/gitconfig'

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** A checkout leaves an index, a fetch or a commit directories of objects, in which git could no longer write. */
function isTouchedByRoot(git: string): boolean {
  const objects = join(git, 'objects')
  const places = existsSync(objects) ? readdirSync(objects).map(name => join(objects, name)) : []
  return [join(git, 'index'), join(git, 'logs/HEAD'), ...places].some(path => ownerOf(path) === 0)
}

const ownerOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.uid
