/** `Prefer: wait`: the answer comes when the run has ended, or when the time is up. */
import { Fault, type Run } from '@quarterdeck/contract'
import type { End, Response } from '#http'
import type { Store } from '#store'
import type { Deploys } from './deploys.ts'
import { findRun, isOver, type RunRow } from './run-row.ts'

const longestWaitS = 600

/** Seconds to wait for the run; 0: not at all. https://www.rfc-editor.org/rfc/rfc7240#section-4.3 */
export function waitOf(prefer: string | undefined): number {
  const wait = prefer?.match(/(?:^|[,;]\s*)wait\s*=\s*"?(\d+)"?\s*(?:$|[,;])/i)?.[1]
  return Math.min(Number(wait ?? 0), longestWaitS)
}

export interface Waiting {
  store: Store
  deploys: Deploys
  waitS: number
  /** Nobody waits any more. */
  end: End
}

/** 202 while it goes on, 200 when it ended well, the fault `run_failed` otherwise. */
export async function answerFor(row: RunRow, waiting: Waiting): Promise<Response> {
  const { store, deploys, waitS, end } = waiting
  const location = deploys.apiUrl(row)
  if (waitS === 0) return { status: 202, headers: { location }, value: deploys.show(row) }
  const last = await settled(row.id, waiting, AbortSignal.any([AbortSignal.timeout(waitS * 1000), end()]))
  const run = deploys.show((await read(store, row.id)) ?? row)
  if (isOver(last) && !endedWell(last)) throw failed(run, deploys.show(last))
  const headers = { location, 'preference-applied': `wait=${waitS}` }
  return { status: isOver(last) ? 200 : 202, headers, value: run }
}

/** The run when it has ended, or that which took its place; or as it is when the time is up. */
async function settled(id: string, waiting: Waiting, ended: AbortSignal): Promise<RunRow> {
  const { store, deploys } = waiting
  for (;;) {
    // Ends the wait for a change that came while it was read.
    const read_ = new AbortController()
    const changed = deploys.signals.next(id, AbortSignal.any([ended, read_.signal]))
    const row = (await read(store, id))!
    if (row.status === 'superseded' && row.superseded_by !== null) {
      read_.abort()
      return settled(row.superseded_by, waiting, ended)
    }
    if (isOver(row) || ended.aborted) {
      read_.abort()
      return row
    }
    await changed
  }
}

const read = (store: Store, id: string) => store.read(transaction => findRun(transaction, id))

/** One that was overtaken has nothing to be sorry for. */
const endedWell = ({ status }: RunRow) => status === 'succeeded' || status === 'superseded'

function failed(run: Run, last: Run): Fault {
  const reason = last.error?.message ?? `It was ${last.status}.`
  const detail =
    last.id === run.id ? reason : `It gave way to run ${last.id}, which did not succeed: ${reason}`
  return new Fault('run_failed', detail, { run: last.id === run.id ? run : last })
}
