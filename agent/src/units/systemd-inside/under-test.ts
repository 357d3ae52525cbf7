/** Agents and units for tests inside a machine with systemd. */
import { readFileSync } from 'node:fs'
import { systemClock } from '@quarterdeck/kit'
import { memoryLog, temporaryDirectory } from '@quarterdeck/testing'
import { onTestFinished, test } from 'vitest'
import { layoutOf } from '../../layout.ts'
import { SystemdUnits, type SystemdUnitsOptions } from '../systemd.ts'
import { type SampleUnit, sampleUnit } from '../under-test.ts'
import type { UnitStart } from '../unit-engine.ts'

/** Named on purpose: the tests make users and units, which nobody wants on the machine they work on. */
export const isInside =
  process.env.QUARTERDECK_TEST_MACHINE === '1' && readFileSync('/proc/1/comm', 'utf8').trim() === 'systemd'

/** Outside, one test that says so. */
export function onlyInside(name: string, tests: () => void): void {
  const reason = 'runs inside the machine that e2e/systemd-units.test.ts boots'
  if (isInside) tests()
  else test(name, context => context.skip(reason))
}

export function agentOn(home: string, options: Partial<SystemdUnitsOptions> = {}): SystemdUnits {
  const { log } = memoryLog()
  return new SystemdUnits({ home: `${home}/agent`, clock: systemClock, log, checkMs: 200, ...options })
}

export async function endAll(home: string): Promise<void> {
  const agent = agentOn(home)
  await agent.recover()
  for (const { project, name } of agent.list()) await agent.remove(project, name)
  agent.close()
}

export function newHome(): string {
  const home = temporaryDirectory()
  onTestFinished(() => endAll(home))
  return home
}

export async function opened(home: string, options?: Partial<SystemdUnitsOptions>): Promise<SystemdUnits> {
  const agent = agentOn(home, options)
  onTestFinished(() => agent.close())
  await agent.recover()
  return agent
}

/** The same unit in a project of another name. */
export function unitOfProject(home: string, name: string, sample: SampleUnit): UnitStart {
  const start = sampleUnit(home, sample)
  const layout = layoutOf(home, name)
  const program = { ...start.program, cwd: layout.data }
  return { ...start, layout, program, project: { ...start.project, name } }
}
