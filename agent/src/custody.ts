/**
 * Whose hands do what. On a server three identities keep a project from everything but its own: git, which owns the
 * working copies and runs nothing of a project; the builder, which writes one new environment; the project's own user,
 * which writes its data. Where the agent is not root, all are the agent itself.
 */
import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { confined } from './commands/systemd-run.ts'
import { giveTree } from './commands/users.ts'
import { type Identity, identityOf } from './identity.ts'
import type { Layout } from './layout.ts'
import { tagVariable } from './processes.ts'
import { removeTree } from './remove-tree.ts'
import type { Program } from './runner.ts'
import type { Run } from './runtimes/runtime.ts'
import { SystemdCalls } from './units/systemd-calls.ts'
import { provideUser } from './units/systemd-user.ts'

export interface Preparing {
  readonly layout: Layout
  readonly user: string
  readonly writable: string
  readonly run: string
  /** The project's own, as a file and read. */
  readonly variables: { readonly file: string; readonly values: Readonly<Record<string, string>> }
}

export interface Custody {
  /** Who runs git; undefined: the agent itself. */
  readonly git: (Identity & { readonly home: string }) | undefined
  /** The project's own user is there, with its data in their hands; one that is somebody else's is refused. */
  provideUser(layout: Layout, run: Run): Promise<void>
  /** Gives a new environment, with what is in it so far, to the builder; or takes it back, finished. */
  handing(environment: string, to: 'builder' | 'agent'): Program | undefined
  /** An installer: may write the environment and its cache. */
  installing(program: Program, place: { layout: Layout; environment: string; run: string }): Program
  /** The project's own step: may write where its service may. */
  preparing(program: Program, place: Preparing): Program
  /** The project is gone from this machine: so is what was kept for its builds. */
  forget(project: string): Promise<void>
}

/** For a machine without users of its own for this: a laptop, a test. */
export const openCustody: Custody = {
  git: undefined,
  provideUser: async () => undefined,
  handing: () => undefined,
  installing: program => program,
  preparing: (program, { variables }) => ({ ...program, env: { ...program.env, ...variables.values } }),
  forget: async () => undefined,
}

/** What an install may take of the machine, so that what serves goes on serving. */
const limits = { memoryMax: '75%', cpuWeight: 20 }

export interface ServerCustodyOptions {
  /** The home: `cache/` has a directory for each project's builds. */
  home: string
  git: string
  builder: string
}

/** For a server, where the agent is root and `qd install` has made the users. */
export function serverCustody({ home, git, builder }: ServerCustodyOptions): Custody {
  const gitUser = needed(git)
  const buildUser = needed(builder)
  const caches = join(home, 'cache')
  return {
    git: { ...gitUser, home: join(home, 'control') },
    provideUser: (layout, run) => provideUser(callsBy(run), layout),
    handing: (environment, to) => giveTree(environment, to === 'builder' ? builder : 'root'),
    installing: (program, { layout, environment, run }) =>
      confined(tagged(program), {
        unit: `qd-build-${layout.project}-${run}`,
        user: builder,
        home,
        readable: [layout.releases],
        writable: [environment],
        // One's own: what a hostile project leaves there would be installed by the next one.
        cache: { of: cacheIn(caches, layout.project, buildUser), at: caches },
        ...limits,
      }),
    preparing: (program, { layout, user, writable, run, variables }) =>
      confined(tagged(program), {
        unit: `qd-prepare-${layout.project}-${run}`,
        user,
        home,
        readable: [layout.root],
        writable: [writable],
        environmentFile: variables.file,
        ...limits,
      }),
    forget: project => removeTree(join(caches, project)),
  }
}

function cacheIn(caches: string, project: string, { uid, gid }: Identity): string {
  const cache = join(caches, project)
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  chownSync(cache, uid, gid)
  return cache
}

/** After a crash of the agent its strays are found by the tag: also what systemd has started for it. */
const tagged = (program: Program): Program => ({ ...program, env: { ...program.env, [tagVariable]: '' } })

const callsBy = (run: Run) =>
  new SystemdCalls(async program => ({ ...(await run(program)), signal: null }), '')

function needed(name: string): Identity {
  const identity = identityOf(name)
  if (identity) return identity
  throw new Error(`There is no user ${name} on this machine: qd install makes it.`)
}
