/** What control asks of this machine beside runs: to act on units, to read their logs, which ports are in use. */
import { createServer } from 'node:net'
import { type ProjectProcess, type Question, RunFault, type UnitAction } from '@quarterdeck/contract'
import { adopt } from './adoption/adopt.ts'
import { candidatesOn } from './adoption/candidates.ts'
import type { Machine } from './machine.ts'
import { startUnits } from './running.ts'
import { Site } from './site.ts'
import type { KnownUnit } from './units/unit-engine.ts'

const stopLimitMs = 10_000
const restartLimitMs = 25_000

export async function answerTo(machine: Machine, question: Question): Promise<unknown> {
  switch (question.what) {
    case 'act':
      return act(machine, question.project.name, question.action)
    case 'remove':
      await machine.units.remove(question.project)
      return machine.custody.forget(question.project)
    case 'candidates':
      return candidatesOn(machine)
    case 'adopt':
      return adopt(machine, question.project)
    case 'busy_ports':
      return busyPorts(question.ports)
    case 'unit_log':
      return machine.units.log(question.project, question.process, question.after, question.lines)
  }
}

/** On the release that is in place and proved to run: settings that changed since count from the next run. */
async function act(machine: Machine, name: string, action: UnitAction): Promise<void> {
  const { units } = machine
  const site = new Site(machine, name)
  const { proven } = site.state
  if (!proven) throw new RunFault('restart_failed', `Nothing of ${name} is deployed on ${machine.name} yet.`)
  if (action === 'stop') return stopAll(machine, name)
  if (action === 'start' && proven.project.processes.every(process => isUp(units.list(name), process))) return
  const attempt = `${action} at ${machine.clock.now().toISOString()}`
  await startUnits(machine, site, proven, attempt, AbortSignal.timeout(restartLimitMs))
  for (const { name: process } of proven.project.processes) units.settle(name, process)
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
