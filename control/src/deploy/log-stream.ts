/** The log of a run: as text, or live as server-sent events until the run ends. */
import type { RunLogLine } from '@quarterdeck/contract'
import type { Store, Transaction } from '#store'
import type { Deploys } from './deploys.ts'
import { findRun, isOver } from './run-row.ts'

const batch = 500

interface Sources {
  store: Store
  deploys: Deploys
}

export interface LogEvent {
  id?: number
  event: 'log' | 'run' | 'end'
  data: unknown
}

/** What is there, as text. */
export async function* logText({ store }: Sources, runId: string): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const lines = await store.read(transaction => linesAfter(transaction, runId, after))
    if (lines.length === 0) return
    yield lines.map(({ at, step, text }) => `${at} ${(step ?? '-').padEnd(14)} ${text}\n`).join('')
    after = lines.at(-1)!.seq
  }
}

/** Lines and progress as they come, beginning after a line; the last event is `end`. */
export async function* logEvents(
  { store, deploys }: Sources,
  runId: string,
  after: number,
  ended: AbortSignal,
): AsyncGenerator<LogEvent> {
  let reached = after
  let shown = ''
  while (!ended.aborted) {
    const looked = new AbortController()
    const changed = deploys.signals.next(runId, AbortSignal.any([ended, looked.signal]))
    const { row, lines } = await store.read(async transaction => ({
      row: await findRun(transaction, runId),
      lines: await linesAfter(transaction, runId, reached),
    }))
    for (const line of lines) yield { id: line.seq, event: 'log', data: line }
    reached = lines.at(-1)?.seq ?? reached
    if (!row) return looked.abort()
    const run = deploys.show(row)
    const text = JSON.stringify(run)
    if (lines.length < batch && isOver(row)) {
      looked.abort()
      yield { event: 'end', data: run }
      return
    }
    if (text !== shown) yield { event: 'run', data: run }
    shown = text
    if (lines.length === batch) looked.abort()
    await changed
  }
}

async function linesAfter(transaction: Transaction, runId: string, after: number): Promise<RunLogLine[]> {
  const rows = await transaction
    .selectFrom('run_log')
    .select(['seq', 'at', 'step', 'text'])
    .where('run_id', '=', runId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(batch)
    .execute()
  return rows as RunLogLine[]
}
