/** A unit's own log, from the journal. A place in it is a moment in microseconds, which outlives rotation and reboots. */
import type { UnitLog } from '@quarterdeck/contract'
import { readJournal, syncJournal } from '../commands/systemctl.ts'
import { linesOf } from '../lines.ts'
import type { SystemdCalls } from './systemd-calls.ts'

export interface LogQuestion {
  readonly unit: string
  readonly from: number | null
  readonly lines: number
  /** Nothing from before is this unit's. */
  readonly earliestUs: number
  readonly nowUs: number
}

interface Entry {
  readonly us: number
  readonly lines: readonly string[]
}

/** What is written but not yet in the journal is waited for: a process that has just ended has said why. */
export async function readLog(calls: SystemdCalls, question: LogQuestion): Promise<UnitLog> {
  const { unit, from, lines, earliestUs, nowUs } = question
  // Only the place is asked for: what the journal takes in from now on is later than that.
  if (from === null && lines === 0) return { lines: [], next: nowUs }
  await calls.call(syncJournal())
  // A place in the future: the clock was put back. What there is now is all that can be told.
  if (from === null || from > nowUs + 1_000_000) {
    const range = { unit, last: lines, sinceUs: earliestUs }
    const entries = entriesOf((await calls.call(readJournal(range))).stdout).reverse()
    return answer(entries, linesIn(entries).slice(-lines), earliestUs)
  }
  const sinceUs = Math.max(from, earliestUs)
  const all = entriesOf((await calls.call(readJournal({ unit, sinceUs }))).stdout)
  const entries = firstOf(all, lines)
  return answer(entries, linesIn(entries), sinceUs)
}

const answer = (entries: readonly Entry[], lines: string[], elseUs: number): UnitLog => ({
  lines,
  next: entries.length > 0 ? entries.at(-1)!.us + 1 : elseUs,
})

const linesIn = (entries: readonly Entry[]) => entries.flatMap(({ lines }) => lines)

/**
 * The journal gives all that it reads at once one and the same moment. Such a group is never torn, because the rest could not
 * be asked for: it may bring more lines than were asked for.
 */
function firstOf(entries: readonly Entry[], lines: number): Entry[] {
  const taken: Entry[] = []
  let count = 0
  for (const entry of entries) {
    if (count >= lines && entry.us !== taken.at(-1)?.us) break
    taken.push(entry)
    count += entry.lines.length
  }
  return taken
}

/** The last line may be cut off, where there was more than is held. */
export function entriesOf(text: string): Entry[] {
  return text.split('\n').flatMap(line => {
    try {
      const entry = JSON.parse(line)
      return [{ us: Number(entry.__REALTIME_TIMESTAMP), lines: linesOf(bytesOf(entry.MESSAGE)) }]
    } catch {
      return []
    }
  })
}

/** Text; a list of bytes where it is not UTF-8 or has control characters; a list of either where it came several times. */
function bytesOf(message: unknown): Buffer {
  if (typeof message === 'string') return Buffer.from(`${message}\n`)
  if (!Array.isArray(message)) return Buffer.from('\n')
  if (message.every(byte => typeof byte === 'number')) return Buffer.from([...message, 0x0a])
  return Buffer.concat(message.map(bytesOf))
}
