/** What a unit writes, as it writes it: asked for again and again, from where the answer before ended. */
import { setTimeout as wait } from 'node:timers/promises'
import { Fault, operations } from '@quarterdeck/contract'
import type { Api } from './api.ts'
import { interrupted } from './fail.ts'
import { aside } from './run/progress.ts'

const pollMs = 1000
const patienceMs = 60_000
const mostLines = 10_000

export interface FollowedUnit {
  name: string
  process: string
  machine: string | undefined
  after: number
}

/** Until Ctrl+C. Control may be restarted meanwhile. */
export async function* followUnit(api: Api, unit: FollowedUnit): AsyncGenerator<string[]> {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  let { after } = unit
  let lostMs: number | undefined
  while (!stop.signal.aborted) {
    await wait(pollMs, undefined, { signal: stop.signal }).catch(() => {})
    if (stop.signal.aborted) break
    try {
      const { name, process, machine } = unit
      const query = { process, machine, lines: mostLines, after }
      const { lines, next } = await api.call(operations.readUnitLog, { params: { name }, query })
      if (lostMs !== undefined) aside('Connected again.')
      lostMs = undefined
      after = next
      yield lines
    } catch (error) {
      if (!(error instanceof Fault) || error.entry.family !== 'unreachable') throw error
      if (lostMs === undefined) aside('The connection to control broke; trying again for a minute …')
      lostMs ??= performance.now()
      if (performance.now() - lostMs > patienceMs) throw error
    }
  }
  process.exitCode = interrupted
}
