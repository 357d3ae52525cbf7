/** What a project has on this machine: its places, its releases and environments, and what of it last proved to run. */
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Adoption,
  adoption,
  noVariables,
  type PlacedProject,
  placedProject,
  sha,
  variableSetId,
} from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import { z } from 'zod'
import { AdoptedReleases } from './adoption/adopted-releases.ts'
import { trustInSystem } from './commands/git.ts'
import { type GitPlace, gitEnvironment } from './commands/git-call.ts'
import { giveTree } from './commands/users.ts'
import type { Custody } from './custody.ts'
import { Environments } from './environments.ts'
import { type Identity, ownerOf } from './identity.ts'
import { projectIn } from './in-repository.ts'
import { type Layout, layoutOf } from './layout.ts'
import type { Machine } from './machine.ts'
import { Releases } from './releases.ts'
import { KeptAccess } from './remote/kept-access.ts'
import type { Run } from './runtimes/runtime.ts'
import { KeptVariables } from './variables/kept-variables.ts'
import { type Mask, maskOf } from './variables/mask.ts'
import { writeWhole } from './whole-file.ts'
import { WorkCopy } from './work-copy.ts'

/** A release, and how its units are started. */
const placed = z.object({
  sha,
  environment: z.string(),
  variables: variableSetId.default(noVariables),
  /** As it is started: what its repository says goes before what was ordered. */
  project: placedProject,
  ordered: placedProject.optional(),
})
export type Placed = z.infer<typeof placed>

const siteState = z.object({
  /** The commit that the agent itself last put into the working copy. */
  put: sha.nullable().default(null),
  /** What last proved to run: what a failed deploy goes back to. */
  proven: placed.nullable().default(null),
  /** What is being adopted at this moment: only a crash leaves it here. */
  adopting: adoption.nullable().default(null),
})
export type SiteState = z.infer<typeof siteState>

export class Site {
  readonly layout: Layout
  readonly releases: Releases
  readonly environments: Environments
  readonly variables: KeptVariables
  readonly access: KeptAccess
  readonly #custody: Custody
  readonly #git: GitPlace
  readonly #clock: Clock
  readonly #file: string
  readonly #adopted: Adoption | null

  /** Without `adopted`, as the project was last proven. */
  constructor(
    machine: Pick<Machine, 'home' | 'agentHome' | 'env' | 'clock' | 'custody'>,
    name: string,
    adopted?: Adoption | null,
  ) {
    const { home, agentHome, env, clock, custody } = machine
    const layout = layoutOf(home, name)
    this.#custody = custody
    this.#clock = clock
    this.#file = join(layout.root, 'site.json')
    this.#adopted = adopted === undefined ? (this.state.proven?.project.adopted ?? null) : adopted
    this.layout = this.#adopted ? { ...layout, work: this.#adopted.work } : layout
    const owner = gitOwner(custody, this.#adopted)
    this.#git = {
      work: this.layout.work,
      env: gitEnvironment(owner?.home ?? agentHome, env),
      ...(owner && { identity: owner }),
    }
    const options = { layout: this.layout, git: this.#git, clock }
    this.releases = this.#adopted ? new AdoptedReleases(options, this.#adopted) : new Releases(options)
    this.environments = new Environments(this.layout, () => clock.now())
    this.variables = new KeptVariables(layout.root)
    this.access = new KeptAccess(layout.root, owner)
  }

  /** The places of the project, each in the hands of who writes there. */
  async prepare(run: Run): Promise<void> {
    const { releases, data, work } = this.layout
    const { identity } = this.#git
    mkdirSync(releases, { recursive: true, mode: 0o755 })
    if (identity) chownSync(releases, identity.uid, identity.gid)
    // In what was adopted, only what git itself writes is git's: the rest is as its owner has it.
    if (this.#adopted) return this.#giveBack(join(work, '.git'), run)
    mkdirSync(data, { recursive: true, mode: 0o700 })
    await this.#custody.provideUser(this.layout, run)
    if (!identity) return
    // Root may use git here, which it else refuses in what is another's; and leaves files behind that are root's.
    if (!textOf(systemGitConfig).includes(`directory = ${work}\n`)) await run(trustInSystem(work))
    await this.#giveBack(work, run)
  }

  workCopy({ git_url, branch }: PlacedProject, run: Run): WorkCopy {
    return new WorkCopy({
      layout: this.layout,
      git: this.#git,
      run,
      clock: this.#clock,
      source: { git_url, branch },
      access: this.access.environment,
      isAdopted: this.#adopted !== null,
    })
  }

  /** A commit that is laid out, and how it is started: as was ordered, unless its repository says otherwise. */
  placing(sha: string, ordered: PlacedProject): Pick<Placed, 'sha' | 'project' | 'ordered'> {
    return { sha, project: projectIn(this.layout.release(sha), ordered), ordered }
  }

  /** Hides every secret of the project. */
  mask(): Mask {
    const [inVariables, inAccess] = [this.variables.mask(), maskOf(this.access.secrets)]
    return text => inAccess(inVariables(text))
  }

  /** A file that is missing or spoilt tells nothing. */
  get state(): SiteState {
    try {
      return siteState.parse(JSON.parse(readFileSync(this.#file, 'utf8')))
    } catch {
      return { put: null, proven: null, adopting: null }
    }
  }

  /** Adds to it, in one rename. */
  remember(change: Partial<SiteState>): void {
    writeWhole(this.#file, JSON.stringify({ ...this.state, ...change }), 0o600)
  }

  async #giveBack(tree: string, run: Run): Promise<void> {
    const { identity, work } = this.#git
    const isTheirs = identity !== undefined && identity.uid !== 0
    if (isTheirs && isTouchedByRoot(join(work, '.git'))) await run(giveTree(tree, identity.name))
  }
}

/** Whoever owns what was adopted goes on using git there; undefined: the agent itself does. */
function gitOwner(
  { git }: Custody,
  adopted: Adoption | null,
): (Identity & { readonly home: string }) | undefined {
  return git && adopted ? ownerOf(adopted.work) : git
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
  return [join(git, 'index'), join(git, 'logs/HEAD'), ...places].some(
    path => statSync(path, { throwIfNoEntry: false })?.uid === 0,
  )
}
