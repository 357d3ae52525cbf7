/** A unit's own log, from the journal. A place in it is a moment in microseconds, which outlives rotation and reboots. */
import { RunFault, type UnitLog } from '@quarterdeck/contract'
import { type JournalQuestion, readJournal, syncJournal } from '../commands/systemctl.ts'
import { linesOf } from '../lines.ts'
import type { SystemdCalls } from './systemd-calls.ts'

const syncLimitMs = 3000
/** Less than control waits for an answer. */
const readLimitMs = 15_000

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

/**
 * What is written but not yet in the journal is waited for: a process that has just ended has said why. Not for long: where
 * the journal's service hangs, what is on disk is all there is.
 */
export async function readLog(calls: SystemdCalls, question: LogQuestion): Promise<UnitLog> {
  const { unit, from, lines, earliestUs, nowUs } = question
  // Only the place is asked for: what the journal takes in from now on is later than that.
  if (from === null && lines === 0) return { lines: [], next: nowUs }
  await calls.call(syncJournal(), undefined, syncLimitMs)
  // A place in the future: the clock was put back. What there is now is all that can be told.
  if (from === null || from > nowUs + 1_000_000) {
    const range = { unit, last: lines, sinceUs: earliestUs }
    const entries = (await read(calls, range)).reverse()
    return answer(entries, linesIn(entries).slice(-lines), earliestUs)
  }
  const sinceUs = Math.max(from, earliestUs)
  const entries = firstOf(await read(calls, { unit, sinceUs }), lines)
  return answer(entries, linesIn(entries), sinceUs)
}

async function read(calls: SystemdCalls, question: JournalQuestion): Promise<Entry[]> {
  const { code, stdout, stderr, timedOut } = await calls.call(readJournal(question), undefined, readLimitMs)
  if (code === 0) return entriesOf(stdout)
  const why = timedOut
    ? `nothing came within ${readLimitMs / 1000} s`
    : stderr.trim() || `it ended with ${code}`
  throw new RunFault('internal', `The journal of ${question.unit} could not be read by journalctl: ${why}.`)
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
