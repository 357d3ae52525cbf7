/** What control asks of this machine beside runs: to act on units, to read their logs, which ports are in use. */
import { createServer } from 'node:net'
import { type ProjectProcess, type Question, RunFault } from '@quarterdeck/contract'
import { adopt } from './adoption/adopt.ts'
import { candidatesOn } from './adoption/candidates.ts'
import type { Machine } from './machine.ts'
import { docsOf } from './release-docs.ts'
import { seeHostKeys } from './remote/host-keys.ts'
import { startUnits } from './running.ts'
import { type Placed, Site } from './site.ts'
import type { KnownUnit } from './units/unit-engine.ts'
import { verify } from './verify.ts'

const stopLimitMs = 10_000
const restartLimitMs = 25_000

type Asked<What extends Question['what']> = Extract<Question, { what: What }>

export async function answerTo(machine: Machine, question: Question): Promise<unknown> {
  switch (question.what) {
    case 'act':
      return act(machine, question)
    case 'remove':
      return remove(machine, question.project)
    case 'candidates':
      return candidatesOn(machine)
    case 'adopt':
      return adopt(machine, question.project)
    case 'busy_ports':
      return busyPorts(question.ports)
    case 'host_keys':
      return seeHostKeys(machine, question)
    case 'docs':
      return docsOf(new Site(machine, question.project))
    case 'unit_log':
      return unitLog(machine, question)
  }
}

/**
 * On the release that is in place and proved to run, with the newest variables: other settings that changed since count
 * from the next run.
 */
async function act(machine: Machine, { project: { name }, action, variables }: Asked<'act'>): Promise<void> {
  const site = new Site(machine, name)
  const { proven } = site.state
  if (!proven) throw new RunFault('restart_failed', `Nothing of ${name} is deployed on ${machine.name} yet.`)
  if (action === 'stop') return stopAll(machine, name)
  const isRunning = proven.project.processes.every(process => isUp(machine.units.list(name), process))
  if (action === 'start' && isRunning) return
  site.variables.keep(variables)
  if (variables.id === proven.variables) return restart(machine, site, proven, action)
  return restartWith(machine, site, proven, variables.id)
}

async function restart(machine: Machine, site: Site, placed: Placed, why: string): Promise<void> {
  const { name, processes } = placed.project
  const attempt = `${why} at ${machine.clock.now().toISOString()}`
  await startUnits(machine, site, placed, attempt, AbortSignal.timeout(restartLimitMs))
  for (const { name: process } of processes) machine.units.settle(name, process)
}

/** Variables are as good a reason for a service not to run as code is: it proves itself, or has the former ones back. */
async function restartWith(machine: Machine, site: Site, proven: Placed, variables: string): Promise<void> {
  const placed = { ...proven, variables }
  const mask = site.mask()
  try {
    await restartAndProve(machine, site, placed, 'new variables')
    site.remember({ proven: placed })
  } catch (error) {
    const back = await restartAndProve(machine, site, proven, 'former variables').then(
      () => 'It runs with the former ones again.',
      (second: Error) => `With the former ones it does not run either: ${second.message}`,
    )
    const message = `With the new variables it does not run: ${(error as Error).message} ${back}`
    throw new RunFault('restart_failed', mask(message), { cause: error })
  }
}

async function restartAndProve(machine: Machine, site: Site, placed: Placed, why: string): Promise<void> {
  const { units, timing, clock } = machine
  const { project, sha } = placed
  await restart(machine, site, placed, why)
  const limit = AbortSignal.timeout((project.health.timeout_s + 60) * 1000)
  await verify({ units, project, sha, address: machine.address(), timing, clock }, limit)
}

async function unitLog(machine: Machine, { project, process, after, lines }: Asked<'unit_log'>) {
  const log = await machine.units.log(project, process, after, lines)
  const mask = new Site(machine, project).mask()
  return { ...log, lines: log.lines.map(mask) }
}

/** Nothing fetches or starts it any more; what was adopted goes on, with the variables that it has. */
async function remove(machine: Machine, project: string): Promise<void> {
  const site = new Site(machine, project)
  await machine.units.remove(project)
  site.access.forget()
  if (!site.state.proven?.project.adopted) site.variables.forget()
  await machine.custody.forget(project)
}

/** A timer whose last run failed is up none the less: it waits for its next. */
const isUp = (units: readonly KnownUnit[], { name, timer }: ProjectProcess) =>
  units.some(unit => unit.name === name && (timer ? unit.wanted === 'up' : unit.state === 'running'))

async function stopAll({ units }: Machine, name: string): Promise<void> {
  await Promise.all(units.list(name).map(unit => units.stop(name, unit.name, { limitMs: stopLimitMs })))
}

async function busyPorts(ports: readonly number[]): Promise<number[]> {
  const busy = await Promise.all(ports.map(async port => ((await isFree(port)) ? [] : [port])))
  return busy.flat()
}

/** A service listens on all interfaces: so does the trial. */
async function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.once('error', () => resolve(false))
  server.listen({ port, host: '0.0.0.0', exclusive: true }, () => server.close(() => resolve(true)))
  return promise
}
