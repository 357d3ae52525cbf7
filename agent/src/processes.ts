/** What runs on this Linux machine, as /proc tells it. A pid alone proves nothing: pids are used again. */
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { allPids, groupMembers, statOf, tagOf } from './proc.ts'

export { type ListeningPort, listeningPorts } from './listening-ports.ts'
export { groupMembers, tagVariable } from './proc.ts'

/** Most processes end at once, and whoever restarts one waits for it. */
const firstPollMs = 4
const longestPollMs = 30
/** What outlives SIGKILL for so long hangs in the kernel, and no waiting helps. */
const hopelessMs = 10_000

export interface Tagged {
  readonly pid: number
  readonly pgid: number
  readonly tag: string
}

/**
 * Tells this boot of the machine from every other: pids and start times count within one boot only. A container has its
 * host's id over all of its own boots, which its first process tells apart.
 */
export function bootId(): string {
  const id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return `${id}:${startTimeOf(1) ?? ''}`
}

/** When the process started, in ticks since boot; with the pid it names one process. Undefined: gone, or a zombie. */
export function startTimeOf(pid: number): number | undefined {
  return statOf(pid)?.startTime
}

/** Every process whose tag begins so. Those of other users that may not be read are not ours. */
export function findTagged(prefix: string): Tagged[] {
  const found: Tagged[] = []
  for (const pid of allPids()) {
    const tag = tagOf(pid)
    const stat = tag?.startsWith(prefix) ? statOf(pid) : undefined
    if (tag && stat) found.push({ pid, pgid: stat.pgid, tag })
  }
  return found
}

/** Asks the group to end, then makes it. Resolves when nothing of it is left; rejects if it cannot be ended. */
export async function endGroup(pgid: number, { graceMs }: { graceMs: number }): Promise<void> {
  if (!mayEnd(pgid)) throw new RangeError(`Group ${pgid} is not one to end: it is the system’s or our own.`)
  const killAtMs = performance.now() + graceMs
  let pollMs = firstPollMs
  let members = groupMembers(pgid)
  if (members.length > 0) signalAll(pgid, members, 'SIGTERM')
  while (members.length > 0) {
    // Again and again: it may start new ones while it is being ended.
    if (performance.now() >= killAtMs) signalAll(pgid, members, 'SIGKILL')
    if (performance.now() >= killAtMs + hopelessMs) throw new Error(`Processes ${members} cannot be ended.`)
    await wait(pollMs)
    pollMs = Math.min(pollMs * 1.5, longestPollMs)
    members = groupMembers(pgid)
  }
}

/** Whether the group has no member left, zombies aside: one call, where looking through /proc takes many. */
export function isGroupGone(pgid: number): boolean {
  try {
    process.kill(-pgid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Never everybody (0, 1 and -1 mean that to kill), never ourselves. */
export function mayEnd(pgid: number): boolean {
  return Number.isInteger(pgid) && pgid > 1 && pgid !== statOf(process.pid)?.pgid
}

function signalAll(pgid: number, members: readonly number[], signal: NodeJS.Signals): void {
  send(-pgid, signal)
  for (const pid of members) if (pid !== process.pid && statOf(pid)?.pgid !== pgid) send(pid, signal)
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal)
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
