/** The process of a unit: just started, or found again after the agent was away. */

import { bootId, endGroup, findTagged, mayEnd, startTimeOf, type Tagged } from '../processes.ts'
import { launch, type Program } from '../runner.ts'
import type { UnitEnd } from './unit-engine.ts'
import type { UnitRecord } from './unit-record.ts'

/** A process that is not our child tells nobody that it ended: it is looked for. */
const lookMs = 250

export interface UnitProcess {
  readonly instance: string
  readonly pid: number
  /** Undefined: it had ended before this could be read. */
  readonly startTime: number | undefined
  readonly ended: Promise<UnitEnd>
  /** Stops looking for it; it lives on. */
  forget(): void
}

/** `<home id>:unit:<project>/<process>:`, and behind it the instance. No unit's begins like another's. */
export function tagOfUnit(homeId: string, project: string, process: string): string {
  return `${homeId}:unit:${project}/${process}:`
}

export async function startProcess(
  program: Program,
  { instance, unitTag, logFile }: { instance: string; unitTag: string; logFile: string },
): Promise<UnitProcess> {
  const { pid, exited } = await launch(program, { logFile, tag: `${unitTag}${instance}` })
  return { instance, pid, startTime: startTimeOf(pid), ended: exited, forget: () => undefined }
}

/** The process that the record tells of, if it is really there: the same pid, start time and boot. */
export function findAgain(record: UnitRecord, tagged: readonly Tagged[]): UnitProcess | undefined {
  const { instance, pid } = record
  if (instance === null || record.boot_id !== bootId()) return undefined
  if (pid === null) return findJustStarted(instance, tagged)
  return startTimeOf(pid) === record.start_time ? lookAfter(instance, pid, record.start_time!) : undefined
}

/** The agent was killed after the start, before it could write the pid. The first of its processes is it. */
function findJustStarted(instance: string, tagged: readonly Tagged[]): UnitProcess | undefined {
  const leaders = tagged
    .filter(({ pid, pgid, tag }) => pid === pgid && tag.endsWith(`:${instance}`))
    .flatMap(({ pid }) => {
      const startTime = startTimeOf(pid)
      return startTime === undefined ? [] : [{ pid, startTime }]
    })
  const first = leaders.sort((a, b) => a.startTime - b.startTime)[0]
  return first && lookAfter(instance, first.pid, first.startTime)
}

function lookAfter(instance: string, pid: number, startTime: number): UnitProcess {
  const { promise: ended, resolve } = Promise.withResolvers<UnitEnd>()
  const looking = setInterval(() => {
    if (startTimeOf(pid) === startTime) return
    clearInterval(looking)
    resolve({ code: null, signal: null })
  }, lookMs)
  looking.unref()
  return { instance, pid, startTime, ended, forget: () => clearInterval(looking) }
}

export function isAlive({ pid, startTime }: UnitProcess): boolean {
  return startTime !== undefined && startTimeOf(pid) === startTime
}

/** Ends it with its group. The leader may be gone and others of its group left; its pid is not used again until then. */
export async function endProcess({ pid, startTime }: UnitProcess, graceMs: number): Promise<void> {
  const now = startTimeOf(pid)
  const isAnother = now !== undefined && now !== startTime
  if (!isAnother) await endGroup(pid, { graceMs })
}

/** Ends every process with such a tag: also one that has left its group and session. */
export async function endTagged(prefix: string, graceMs: number): Promise<number[]> {
  return endGroups(findTagged(prefix), graceMs)
}

export async function endGroups(tagged: readonly Tagged[], graceMs: number): Promise<number[]> {
  const groups = [...new Set(tagged.map(({ pgid }) => pgid))].filter(mayEnd)
  await Promise.all(groups.map(pgid => endGroup(pgid, { graceMs })))
  return groups
}
