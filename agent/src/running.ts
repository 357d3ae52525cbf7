/** A release at work: its programs, its units, the proof that it runs. */
import type { ProjectProcess } from '@quarterdeck/contract'
import type { Machine } from './machine.ts'
import type { StepScope } from './open-run.ts'
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
  port: number | null = null,
): Program {
  const { layout } = site
  const place = {
    release: layout.release(sha),
    environment: layout.environment(environment),
    data: layout.data,
  }
  return machine.runtimes[project.runtime]!.program(start, place, {
    HOST: '0.0.0.0',
    ...(port !== null && { PORT: String(port) }),
    QUARTERDECK_NAME: project.name,
    QUARTERDECK_SHA: sha,
  })
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
  const program = programOf(machine, site, placed, process.start, process.port)
  const start = { layout: site.layout, project: placed.project, process, program, attempt }
  await machine.units.restart(start, { stopLimitMs, signal })
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
    const { lines } = await units.log(project.name, name, marks[name] ?? null, readLines)
    const last = lines.slice(-shownLines)
    scope.log(last.length > 0 ? `the last lines of ${name}’s own log:` : `${name} has written nothing`)
    for (const line of last) scope.log(`  ${name} | ${line}`)
  }
}
