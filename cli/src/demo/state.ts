/**
 * How far the demo has come, in a file of the home. It is there from the first start on, so that one that was killed
 * half-way is finished by the next, and it stays when the demo is gone, so that the demo never comes back by itself.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '@quarterdeck/control/client'
import type { Runtime } from '../init/runtimes.ts'
import { writeWhole } from '../install/whole-file.ts'
import { demoHome } from './samples.ts'

export interface Progress {
  /** over: its projects were archived, or others have come; it is left as it is. */
  state: 'wanted' | 'done' | 'left_out' | 'over'
  /** Of what is left out: why, and what mends it. */
  reason?: string
  remedy?: string
}

type State = Record<Runtime, Progress>

/** What a home may hold that was never used: its lock, and what an operator puts there. */
const unused = /^(lock.*|quarterdeck\.yaml)$/

/** On a home that was taken and never used, and that is not a domain’s. Before anything else is written there. */
export function wantDemo({ home, domain }: Pick<Config, 'home' | 'domain'>): void {
  if (domain !== 'localhost' || !readdirSync(home).every(name => unused.test(name))) return
  mkdirSync(demoHome(home), { mode: 0o700 })
  write(home, { python: { state: 'wanted' }, node: { state: 'wanted' } })
}

/** Undefined: there is no demo on this home. */
export function readDemo(home: string): State | undefined {
  try {
    const { python, node } = JSON.parse(readFileSync(stateFile(home), 'utf8')) as Partial<State>
    return python && node && { python, node }
  } catch {
    return undefined
  }
}

export function recordDemo(home: string, runtime: Runtime, now: Progress): void {
  const before = readDemo(home)
  if (before) write(home, { ...before, [runtime]: now })
}

const stateFile = (home: string) => join(demoHome(home), 'demo.json')

const write = (home: string, state: State) =>
  writeWhole(stateFile(home), `${JSON.stringify(state)}\n`, {
    mode: 0o600,
    uid: process.getuid!(),
    gid: process.getgid!(),
  })
