/** A run as it happens. A broken connection is taken up again where it broke, so control may be restarted meanwhile. */
import { setTimeout as wait } from 'node:timers/promises'
import { Fault, operations, type Run, type RunLogLine } from '@quarterdeck/contract'
import type { Api } from '../api.ts'
import { GuidedFault } from '../fail.ts'
import { shortId } from '../ids.ts'
import { serverSentEvents } from '../server-sent.ts'

export type Followed =
  | { type: 'log'; line: RunLogLine }
  | { type: 'run' | 'end'; run: Run }
  | { type: 'lost' }
  | { type: 'back' }

export interface FollowOptions {
  signal: AbortSignal
  /** How long to try again after the connection broke. */
  patienceMs?: number
  retryMs?: number
}

/** Control says something every 15 s, if only a comment. */
const silenceMs = 45_000

export async function* followRun(api: Api, id: string, options: FollowOptions): AsyncGenerator<Followed> {
  const { signal, patienceMs = 60_000, retryMs = 1000 } = options
  let seen = 0
  let lostMs: number | undefined
  while (!signal.aborted) {
    try {
      for await (const followed of connection(api, id, seen, signal)) {
        if (lostMs !== undefined) yield { type: 'back' }
        lostMs = undefined
        if (followed.type === 'log') {
          if (followed.line.seq <= seen) continue
          seen = followed.line.seq
        }
        yield followed
        if (followed.type === 'end') return
      }
    } catch (error) {
      if (!signal.aborted && !mayComeBack(error)) throw error
    }
    if (signal.aborted) return
    if (lostMs === undefined) yield { type: 'lost' }
    lostMs ??= performance.now()
    if (performance.now() - lostMs > patienceMs) throw gone(id, patienceMs)
    await wait(retryMs, undefined, { signal }).catch(() => {})
  }
}

async function* connection(
  api: Api,
  id: string,
  seen: number,
  signal: AbortSignal,
): AsyncGenerator<Extract<Followed, { type: 'log' | 'run' | 'end' }>> {
  const response = await api.open(
    operations.followRunLog,
    { params: { id } },
    { accept: 'text/event-stream', signal, headers: seen > 0 ? { 'last-event-id': String(seen) } : {} },
  )
  response.setTimeout(silenceMs, () => response.destroy())
  for await (const { event, data } of serverSentEvents(response.setEncoding('utf8'))) {
    if (event === 'log') yield { type: 'log', line: JSON.parse(data) as RunLogLine }
    else if (event === 'run' || event === 'end') yield { type: event, run: JSON.parse(data) as Run }
  }
}

/** What control refuses stays refused; whatever else breaks a connection may pass. */
const mayComeBack = (error: unknown): boolean =>
  error instanceof Fault ? error.entry.family === 'unreachable' : 'code' in (error as Error)

const gone = (id: string, patienceMs: number): Fault =>
  new GuidedFault(
    'control_unreachable',
    `The connection broke and could not be made again within ${patienceMs / 1000} s. The run goes on without it.`,
    `See how it ended with \`qd run ${shortId(id)}\`.`,
  )
