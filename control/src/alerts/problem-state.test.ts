import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Change,
  changed,
  lookedAt,
  newProblem,
  type ProblemState,
  type Telling,
  usualTiming,
} from './problem-state.ts'

const { bundleMs, repeatMs, mutedMs } = usualTiming
const quiet = { muted: false, acknowledged: false }
const started = (urgent: boolean): Change => ({ what: 'started', urgent })
const begin = (urgent: boolean) => changed(newProblem, started(urgent), 0, usualTiming)
const look = (state: ProblemState, ms: number, circumstances = quiet) =>
  lookedAt(state, circumstances, ms, usualTiming)

describe('a problem', () => {
  test('with a critical alert is told at once, another one with the bundle', () => {
    expect(look(begin(true), 0).tell).toBe('opened')
    expect(look(begin(false), 0)).toMatchObject({ tell: null, after: { dueMs: bundleMs } })
    expect(look(begin(false), bundleMs).tell).toBe('opened')
  })

  test('that grows is told with the bundle, however often something quiet changes', () => {
    let { after } = look(begin(true), 0)
    after = changed(after, started(false), 1000, usualTiming)
    after = changed(after, { what: 'changed' }, 2000, usualTiming)
    const early = look(after, after.dueMs!)
    expect(early.tell).toBeNull()
    expect(look(early.after, 1000 + bundleMs).tell).toBe('joined')
  })

  test('is told again after a while, unless somebody sees to it', () => {
    const { after } = look(begin(true), 0)
    expect(look(after, repeatMs - 1).tell).toBeNull()
    expect(look(after, repeatMs).tell).toBe('repeat')
    expect(look(after, repeatMs, { muted: false, acknowledged: true })).toMatchObject({
      tell: null,
      after: { dueMs: null },
    })
  })

  test('that is muted waits, and is told when it no longer is', () => {
    const muted = look(begin(true), 0, { muted: true, acknowledged: false })
    expect(muted).toMatchObject({ tell: null, after: { telling: 'opened', dueMs: mutedMs } })
    expect(look(muted.after, mutedMs).tell).toBe('opened')
  })

  test('whose clock was set back by a day waits no longer than a bundle', () => {
    const day = 86_400_000
    const state = changed(newProblem, started(false), day, usualTiming)
    const { after } = look(state, 0)
    expect(after.dueMs).toBe(bundleMs)
    expect(look(after, bundleMs).tell).toBe('opened')
    const told = look({ ...after, telling: null, tellMs: null, toldMs: day }, 0)
    expect(told.after.dueMs).toBe(repeatMs)
  })
})

type Happening = {
  gapMs: number
  muted: boolean
  acknowledged: boolean
  what: 'start' | 'urgent' | 'lost' | 'changed' | 'end'
}

const happenings = fc.array(
  fc.record<Happening>({
    gapMs: fc.integer({ min: 0, max: 5 * 3_600_000 }),
    muted: fc.boolean(),
    acknowledged: fc.boolean(),
    what: fc.constantFrom('start', 'urgent', 'lost', 'changed', 'end'),
  }),
  { maxLength: 40 },
)

const changeOf: Record<Happening['what'], Change> = {
  start: started(false),
  urgent: started(true),
  lost: { what: 'lost' },
  changed: { what: 'changed' },
  end: { what: 'ended' },
}

/** Everything that is told, with the time, when it is looked at whenever it is due. */
function live(list: readonly Happening[]): {
  told: { tell: Telling; ms: number }[]
  state: ProblemState
  ms: number
} {
  const told: { tell: Telling; ms: number }[] = []
  let state = newProblem
  let ms = 0
  const lookUntil = (endMs: number, circumstances: typeof quiet) => {
    for (let steps = 0; state.dueMs !== null && state.dueMs <= endMs; steps++) {
      // It comes to rest.
      if (steps > 5000) throw new Error('it is always due')
      ms = Math.max(ms, state.dueMs)
      const { after, tell } = lookedAt(state, circumstances, ms, usualTiming)
      if (tell) told.push({ tell, ms })
      state = after
    }
    ms = endMs
  }
  let isOpen = false
  for (const { gapMs, what, ...circumstances } of list) {
    lookUntil(ms + gapMs, circumstances)
    const starts = what === 'start' || what === 'urgent'
    if (!isOpen && !starts) continue
    isOpen = what !== 'end'
    state = changed(state, changeOf[what], ms, usualTiming)
  }
  lookUntil(ms + 60_000, quiet)
  return { told, state, ms }
}

describe('whatever happens', () => {
  test('an end is told exactly when something was told that it ends', () => {
    fc.assert(
      fc.property(happenings, list => {
        const { told, state } = live(list)
        let isTold = false
        for (const { tell } of told) {
          if (tell === 'resolved') expect(isTold).toBe(true)
          isTold = tell !== 'resolved'
        }
        if (state.state === 'resolved') expect(isTold).toBe(false)
      }),
    )
  })

  test('nobody is left in the dark: what is open and not seen to has been told, and is due again', () => {
    fc.assert(
      fc.property(happenings, list => {
        const { state } = live(list)
        if (state.state !== 'open' || state.version === 0) return
        expect(state.toldMs).not.toBeNull()
        expect(state.dueMs).not.toBeNull()
      }),
    )
  })

  test('nobody is called twice within a bundle, but for the first critical alert and the end', () => {
    fc.assert(
      fc.property(happenings, list => {
        const { told } = live(list.filter(({ what }) => what !== 'urgent'))
        for (const [index, { tell, ms }] of told.entries()) {
          const before = told[index - 1]
          if (before && tell !== 'resolved' && before.tell !== 'resolved')
            expect(ms - before.ms).toBeGreaterThanOrEqual(bundleMs)
        }
      }),
    )
  })
})
