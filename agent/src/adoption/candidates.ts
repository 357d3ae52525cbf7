/** Units that others have made, looked at as what could be adopted: where they run from, in which environment, on which port. */
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Candidate, RunFault, type Runtime } from '@quarterdeck/contract'
import { remoteUrl, trackedIn } from '../commands/git.ts'
import { type GitPlace, gitEnvironment } from '../commands/git-call.ts'
import { branchOf, headOf } from '../head-of.mjs'
import { ownerOf } from '../identity.ts'
import { listeningPorts } from '../listening-ports.ts'
import type { Machine } from '../machine.ts'
import { type Program, run } from '../runner.ts'
import type { ForeignUnit, ForeignUnits } from '../units/unit-engine.ts'

const limitMs = 10_000
/** An address with a password in it is nobody's to see. */
const withPassword = /^\w+:\/\/[^/@]*:[^/]*@/

type Looked = 'work' | 'runtime' | 'environment' | 'interpreter' | 'git_url' | 'branch' | 'sha'
type Found = Pick<Candidate, Looked> & {
  isTracked: boolean
}

export function foreignOf({ units, name }: Machine): ForeignUnits {
  if (units.foreign) return units.foreign
  throw new RunFault(
    'not_adoptable',
    `Only units of systemd can be adopted; the units on ${name} are of the engine ${units.name}.`,
  )
}

export async function candidatesOn(machine: Machine): Promise<Candidate[]> {
  const units = await foreignOf(machine).list()
  return Promise.all(units.map(unit => candidateOf(machine, unit)))
}

async function candidateOf(machine: Machine, unit: ForeignUnit): Promise<Candidate> {
  const words = [...unit.start, ...commandOf(unit.pid)]
  const work = workOf([unit.directory, ...words])
  const { runtime, environment } = environmentOf(words, work)
  const found: Found = {
    work,
    runtime,
    environment,
    interpreter: interpreterOf(unit, runtime, environment),
    git_url: work && ((await said(machine, work, remoteUrl)) || null),
    branch: (work && branchOf(join(work, '.git'))) ?? null,
    sha: (work && headOf(join(work, '.git'))) ?? null,
    isTracked:
      work !== null &&
      environment?.startsWith(`${work}/`) === true &&
      (await said(machine, work, git => trackedIn(git, environment.slice(work.length + 1)))) !== '',
  }
  const ports = unit.pid === null ? [] : [...new Set(listeningPorts(unit.pid).map(({ port }) => port))]
  const { name, description, state, user, start } = unit
  const { isTracked: _, ...shown } = found
  const isSecret = found.git_url !== null && withPassword.test(found.git_url)
  return {
    unit: name,
    description,
    state,
    user,
    start: [...start],
    ...shown,
    git_url: isSecret ? null : found.git_url,
    port: ports.length === 1 ? ports[0]! : null,
    obstacles: [
      ...obstaclesOf(unit, found),
      ...(isSecret ? ['The address of its remote holds a password.'] : []),
    ],
  }
}

function obstaclesOf(unit: ForeignUnit, found: Found): string[] {
  const { work, sha, runtime, environment, isTracked } = found
  const { name, state, type, adoptedBy, hasDynamicUser } = unit
  const obstacles = [
    adoptedBy !== null && `${name} is the project ${adoptedBy} already.`,
    state !== 'active' && `${name} is ${state}: start it first, so that it can prove what runs.`,
    type === 'oneshot' && `${name} runs once and ends (Type=oneshot).`,
    hasDynamicUser && `${name} has no user of its own (DynamicUser=yes).`,
    work === null && `${name} does not run from a git working copy.`,
    work !== null && sha === null && `No commit is checked out in ${work}.`,
    work !== null && runtime === null && `${name} runs neither Python in a venv nor Node.`,
    runtime === 'node' &&
      hasWorkspaces(work) &&
      'Its package.json has workspaces, which are only run from releases.',
    isTracked && `${environment} is part of the repository.`,
  ]
  return obstacles.filter(obstacle => obstacle !== false)
}

/** How it was really started: a unit's own line may be a script. */
function commandOf(pid: number | null): string[] {
  return pid === null ? [] : textOf(`/proc/${pid}/cmdline`).split('\0').filter(Boolean)
}

/** The nearest directory with a repository of its own, above any of the places. */
function workOf(places: readonly string[]): string | null {
  const directories = places.filter(place => place.startsWith('/')).flatMap(above)
  return directories.find(directory => isDirectory(join(directory, '.git'))) ?? null
}

function above(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [] : [path, ...above(parent)]
}

/** A venv is known by the program in it; Node finds its packages beside the code. */
function environmentOf(
  words: readonly string[],
  work: string | null,
): { runtime: Runtime | null; environment: string | null } {
  const venv = words
    .filter(word => word.startsWith('/'))
    .map(word => dirname(dirname(word)))
    .find(directory => isFile(join(directory, 'pyvenv.cfg')))
  if (venv !== undefined) return { runtime: 'python', environment: venv }
  const isNode = words.some(word => /^(node|nodejs|npm)$/.test(basename(word)))
  if (work === null || !isNode || !isFile(join(work, 'package.json')))
    return { runtime: null, environment: null }
  return { runtime: 'node', environment: join(work, 'node_modules') }
}

/** The machine's own behind the venv's links; a process tells its program itself. */
function interpreterOf(
  { pid }: ForeignUnit,
  runtime: Runtime | null,
  environment: string | null,
): string | null {
  const link = runtime === 'python' ? `${environment}/bin/python` : `/proc/${pid}/exe`
  try {
    return runtime === null ? null : realpathSync(link)
  } catch {
    return null
  }
}

/** What git says of a working copy, as its owner would ask it. Empty: nothing. */
async function said(machine: Machine, work: string, question: (git: GitPlace) => Program): Promise<string> {
  const owner = machine.custody.git && ownerOf(work)
  const git = {
    work,
    env: gitEnvironment(owner?.home ?? machine.agentHome, machine.env),
    ...(owner && { identity: owner }),
  }
  const options = { signal: AbortSignal.timeout(limitMs), timeoutMs: limitMs, tag: 'candidates' }
  const { code, stdout } = await run(question(git), options)
  return code === 0 ? stdout.trim() : ''
}

function hasWorkspaces(work: string | null): boolean {
  return work !== null && /"workspaces"\s*:/.test(textOf(join(work, 'package.json')))
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const isDirectory = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true
