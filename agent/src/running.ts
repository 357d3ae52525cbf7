/** A release at work: its programs, its units, the proof that it runs. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath as nodePath } from 'node:process'
import { fileURLToPath } from 'node:url'
import type { PlacedProject, ProjectProcess } from '@quarterdeck/contract'
import { openMark } from './layout.ts'
import type { Machine } from './machine.ts'
import type { StepScope } from './open-run.ts'
import { commitFileIn, environmentIn } from './releases.ts'
import type { Program } from './runner.ts'
import type { Placed, Site } from './site.ts'
import { verify } from './verify.ts'

/** For a process to end by itself before it is killed. */
const stopLimitMs = 10_000
const shownLines = 40
const readLines = 2000

/** How a command of the release is started. */
export function programOf(
  machine: Machine,
  site: Site,
  { sha, environment, project }: Placed,
  start: readonly string[],
): Program {
  const { layout } = site
  // What was adopted runs from its working copy.
  const release = project.adopted ? layout.work : layout.release(sha)
  const place = { release, environment: layout.environment(environment) }
  return inPlace(machine, site, project, start, place, { QUARTERDECK_SHA: sha })
}

/**
 * How a process is started. What lives on without the agent runs from `current`, so that a checkout by hand and a restart
 * is a rollback; which commit that is, the release itself tells.
 */
function unitProgram(machine: Machine, site: Site, placed: Placed, process: ProjectProcess): Program {
  const port: Record<string, string> = process.port === null ? {} : { PORT: String(process.port) }
  if (!machine.units.flags.survives_restart) {
    const program = programOf(machine, site, placed, process.start)
    return { ...program, env: { ...program.env, ...port } }
  }
  const { project } = placed
  const release = site.layout.current
  const environment = environmentIn(release)
  return inPlace(machine, site, project, process.start, { release, environment }, port)
}

function inPlace(
  machine: Machine,
  { layout }: Site,
  { name, runtime, adopted }: PlacedProject,
  start: readonly string[],
  place: { release: string; environment: string },
  env: Record<string, string>,
): Program {
  return machine.runtimes[runtime]!.program(
    start,
    { ...place, data: adopted ? layout.work : layout.data },
    { HOST: '0.0.0.0', QUARTERDECK_NAME: name, ...env },
  )
}

/** Where each unit's own log was before it was started, by its name. */
export type LogMarks = Record<string, number>

export async function logMarks({ units }: Machine, { project }: Placed): Promise<LogMarks> {
  const marks = project.processes.map(
    async ({ name }) => [name, (await units.log(project.name, name, null, 0)).next] as const,
  )
  return Object.fromEntries(await Promise.all(marks))
}

/** Restarts every unit of the project on this release. Units that it no longer has are gone afterwards. */
export async function startUnits(
  machine: Machine,
  site: Site,
  placed: Placed,
  attempt: string,
  signal: AbortSignal,
): Promise<string> {
  const { project } = placed
  site.variables.use(placed.variables)
  const former = machine.units
    .list(project.name)
    .filter(({ name }) => !project.processes.some(p => p.name === name))
  await Promise.all([
    ...former.map(({ name }) => machine.units.remove(project.name, name)),
    ...project.processes.map(process => startUnit(machine, site, placed, process, attempt, signal)),
  ])
  const names = project.processes.map(({ name }) => name).join(', ')
  return `${names} restarted on ${placed.sha.slice(0, 12)}`
}

async function startUnit(
  machine: Machine,
  site: Site,
  placed: Placed,
  process: ProjectProcess,
  attempt: string,
  signal: AbortSignal,
): Promise<void> {
  const program = unitProgram(machine, site, placed, process)
  const { layout } = site
  const environmentFiles = environmentFilesOf(site)
  const start = { layout, project: placed.project, process, program, attempt, environmentFiles }
  const lasting = machine.units.flags.survives_restart ? lastingParts(machine, site, placed, process) : {}
  await machine.units.restart({ ...start, ...lasting }, { stopLimitMs, signal })
}

/** Read at every start: which commit it is, and the project's variables. What of it changes never changes the unit. */
const environmentFilesOf = ({ layout, variables }: Site) => [commitFileIn(layout.current), variables.file]

/** What a unit that lives on without the agent needs more. Its file stays the same from release to release. */
function lastingParts(machine: Machine, { layout }: Site, { sha, project }: Placed, process: ProjectProcess) {
  const script = fileURLToPath(new URL('align.mjs', import.meta.url))
  const align = { file: nodePath, args: [script, machine.home, project.name], cwd: '/', env: {} }
  const names = process.name === 'web' ? ['web', project.name] : [process.name]
  const files = names.map(name => `deploy/${name}.service`)
  const file = files.find(name => existsSync(join(layout.release(sha), name)))
  const parts = { align, alignUnless: openMark(machine.agentHome, project.name) }
  if (file === undefined) return parts
  return {
    ...parts,
    ownUnit: { file, text: readFileSync(join(layout.release(sha), file), 'utf8') },
  }
}

/** Verifies it; when that fails, the log ends with what the units themselves wrote since they were started. */
export async function prove(
  machine: Machine,
  placed: Placed,
  marks: LogMarks,
  scope: StepScope,
): Promise<string> {
  const { units, timing, clock } = machine
  const { project, sha } = placed
  try {
    return await verify({ units, project, sha, address: machine.address(), timing, clock }, scope.signal)
  } catch (error) {
    if (!scope.signal.aborted) await showUnitLogs(machine, placed, marks, scope)
    throw error
  }
}

async function showUnitLogs(
  { units }: Machine,
  { project }: Placed,
  marks: LogMarks,
  scope: StepScope,
): Promise<void> {
  for (const { name } of project.processes) {
    try {
      const { lines } = await units.log(project.name, name, marks[name] ?? null, readLines)
      const last = lines.slice(-shownLines)
      scope.log(
        last.length > 0 ? `the last lines of ${name}’s own log:` : `there is nothing in ${name}’s own log`,
      )
      for (const line of last) scope.log(`  ${name} | ${line}`)
    } catch (error) {
      // Why it was verified in vain is to be told all the same.
      scope.log(`${name}’s own log cannot be shown: ${(error as Error).message}`)
    }
  }
}
