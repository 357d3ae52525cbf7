/** Small units to try an engine with. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { placedProject, type Timer } from '@quarterdeck/contract'
import { until } from '@quarterdeck/testing'
import { layoutOf } from '../layout.ts'
import type { KnownUnit, UnitEngine, UnitStart } from './unit-engine.ts'

export interface SampleUnit {
  name?: string
  attempt?: string
  timer?: Timer | null
  /** For /bin/sh, in the project's data directory. Each start is noted in the file `starts` first. */
  script: string
}

export function sampleUnit(
  home: string,
  { name = 'web', attempt = 'first', timer = null, script }: SampleUnit,
): UnitStart {
  const layout = layoutOf(home, 'hello')
  mkdirSync(layout.data, { recursive: true })
  const process = { name, start: ['sh'], port: null, timer, socket: false }
  const project = placedProject.parse({
    name: 'hello',
    git_url: '/srv/hello.git',
    branch: 'main',
    runtime: 'python',
    interpreter: null,
    processes: [process],
    before_restart: null,
    linked_paths: [],
    health: { timeout_s: 60 },
    limits: {},
  })
  const args = ['-c', `echo ${attempt} $$ >> ${name}.starts; ${script}`]
  const env = { PATH: globalThis.process.env.PATH ?? '' }
  return { layout, project, process, program: { file: '/bin/sh', args, cwd: layout.data, env }, attempt }
}

/** Which attempts were started, in order. */
export function startsOf(home: string, name = 'web'): string[] {
  const file = join(layoutOf(home, 'hello').data, `${name}.starts`)
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  return lines.map(line => line.split(' ')[0]!)
}

export const restartOptions = { stopLimitMs: 5000, signal: new AbortController().signal }

export function unitOf(engine: UnitEngine, name = 'web'): KnownUnit {
  const unit = engine.list('hello').find(unit => unit.name === name)
  if (!unit) throw new Error(`There is no unit ${name}.`)
  return unit
}

export function untilState(engine: UnitEngine, state: KnownUnit['state'], name = 'web'): Promise<KnownUnit> {
  return until(`${name} is ${state}`, () => {
    const unit = unitOf(engine, name)
    return unit.state === state && unit
  })
}

export function isThere(pid: number | null): boolean {
  return pid !== null && existsSync(`/proc/${pid}/exe`) && readFileSync(`/proc/${pid}/cmdline`).length > 0
}
