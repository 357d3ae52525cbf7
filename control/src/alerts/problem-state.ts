/**
 * When a problem is told of: the first critical alert at once, others bundled; again after a while; its end to everybody
 * who has heard of it. Pure: from a state and what happened to the next state.
 */

export interface AlertTiming {
  /** Alerts that come one after the other are told of together. */
  readonly bundleMs: number
  /** What nobody has to hear at once, such as that one of several has ended, is shown together. */
  readonly quietMs: number
  readonly repeatMs: number
  /** What comes back within this time is the same problem. */
  readonly reopenMs: number
  /** How often to see whether what keeps it quiet still does. */
  readonly mutedMs: number
}

export const usualTiming: AlertTiming = {
  bundleMs: 30_000,
  quietMs: 2000,
  repeatMs: 4 * 3_600_000,
  reopenMs: 300_000,
  mutedMs: 15_000,
}

/** What is told aloud. A notice has no end: it tells of something that happened. */
export type Telling = 'opened' | 'joined' | 'again' | 'source_lost' | 'repeat' | 'resolved' | 'notice'

export interface ProblemState {
  readonly state: 'open' | 'resolved'
  /** Counts what a message would show differently. */
  readonly version: number
  readonly telling: Telling | null
  /** When `telling` is told. */
  readonly tellMs: number | null
  /** Null: nobody has heard of it. */
  readonly toldMs: number | null
  /** When to look at it again. */
  readonly dueMs: number | null
}

export type Change =
  /** Another alert. `urgent`: the first critical one. */
  | { readonly what: 'started'; readonly urgent: boolean }
  | { readonly what: 'lost' }
  /** Something else that a message shows. */
  | { readonly what: 'changed' }
  /** The last of its alerts is over. */
  | { readonly what: 'ended' }

export const newProblem: ProblemState = {
  state: 'open',
  version: 0,
  telling: null,
  tellMs: null,
  toldMs: null,
  dueMs: null,
}

export function changed(
  before: ProblemState,
  change: Change,
  nowMs: number,
  timing: AlertTiming,
): ProblemState {
  const after = { ...before, version: before.version + 1 }
  const tell = (telling: Telling, inMs: number): ProblemState => {
    // What was to be told of its end no longer counts.
    const tellMs = earlier(before.state === 'open' ? before.tellMs : null, nowMs + inMs)
    return { ...after, state: 'open', telling, tellMs, dueMs: earlier(before.dueMs, tellMs) }
  }
  switch (change.what) {
    case 'started': {
      if (before.toldMs === null) return tell('opened', change.urgent ? 0 : timing.bundleMs)
      // One that was told to be over and comes back is told of with the bundle: it may come and go many times.
      if (!isBelievedOpen(before)) return tell('again', timing.bundleMs)
      return tell(more(before.telling, 'joined'), change.urgent ? 0 : timing.bundleMs)
    }
    case 'lost':
      return tell(more(before.telling, before.toldMs === null ? 'opened' : 'source_lost'), timing.bundleMs)
    case 'changed':
      return before.toldMs === null
        ? after
        : { ...after, dueMs: earlier(before.dueMs, nowMs + timing.quietMs) }
    case 'ended': {
      // What nobody has heard of ends unheard; where a message shows it all the same, that is put right.
      const dueMs = before.toldMs === null ? null : nowMs
      const unheard = { ...after, state: 'resolved' as const, telling: null, tellMs: null, dueMs }
      return isBelievedOpen(before) ? { ...unheard, telling: 'resolved', tellMs: nowMs } : unheard
    }
  }
}

/** Whoever has heard of it thinks that it goes on. */
const isBelievedOpen = ({ state, telling, toldMs }: ProblemState) =>
  toldMs !== null && telling !== 'again' && (state === 'open' || telling === 'resolved')

const earlier = (before: number | null, ms: number) => (before === null ? ms : Math.min(before, ms))

/** What says more stays. */
function more(before: Telling | null, now: Telling): Telling {
  const order: Telling[] = ['opened', 'again', 'joined', 'source_lost']
  const rank = (telling: Telling | null) => (telling && order.includes(telling) ? order.indexOf(telling) : 9)
  return rank(before) <= rank(now) ? before! : now
}

export interface Circumstances {
  /** A silence, a maintenance, or what it depends on. */
  readonly muted: boolean
  /** Somebody sees to every one of its alerts. */
  readonly acknowledged: boolean
}

export interface Looked {
  readonly after: ProblemState
  /** To be told aloud now. */
  readonly tell: Telling | null
}

/** At the time that it is due, or earlier. */
export function lookedAt(
  before: ProblemState,
  { muted, acknowledged }: Circumstances,
  nowMs: number,
  timing: AlertTiming,
): Looked {
  const { state, telling } = before
  const wait = (dueMs: number | null): Looked => ({ tell: null, after: { ...before, dueMs } })
  const told = (tell: Telling, dueMs: number | null): Looked => ({
    tell,
    after: { ...before, telling: null, tellMs: null, toldMs: nowMs, dueMs },
  })
  if (state === 'resolved') return telling === null ? wait(null) : told(telling, null)
  if (muted) return wait(nowMs + timing.mutedMs)
  const nextMs = acknowledged ? null : nowMs + timing.repeatMs
  if (telling !== null) {
    // A clock that was set back keeps nobody waiting for longer than a bundle.
    const tellMs = Math.min(before.tellMs ?? nowMs, nowMs + timing.bundleMs)
    return tellMs <= nowMs
      ? told(telling, nextMs)
      : { tell: null, after: { ...before, tellMs, dueMs: tellMs } }
  }
  if (before.toldMs === null || acknowledged) return wait(null)
  const repeatMs = Math.min(before.toldMs, nowMs) + timing.repeatMs
  return repeatMs <= nowMs ? told('repeat', nextMs) : wait(repeatMs)
}
