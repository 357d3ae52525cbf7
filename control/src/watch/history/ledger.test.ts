import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type SpentKind, spentBetween, spentKinds } from '../time-spent.ts'
import { type Gap, Gaps } from './gaps.ts'
import { Ledger, mostRowsPerHour, mostRowsPerOldDay, type Row, type RowWrites } from './ledger.ts'
import { change, countOf } from './under-test.ts'

const hour = 3600
const day = 24 * hour
const none = { up: 0, degraded: 0, down: 0, maintenance: 0, unknown: 0 }

describe('the time between two seconds', () => {
  test('is unknown before the first change, and without any', () => {
    expect(spentBetween(countOf([]), 0, 100)).toEqual({ ...none, unknown: 100 })
    expect(spentBetween(countOf([[60, 'up']]), 0, 100)).toEqual({ ...none, unknown: 60, up: 40 })
  })

  test('begins with what was before it', () => {
    const count = countOf([
      [10, 'up'],
      [50, 'down'],
      [70, 'up'],
    ])
    expect(spentBetween(count, 20, 100)).toEqual({ ...none, up: 60, down: 20 })
    expect(spentBetween(count, 50, 60)).toEqual({ ...none, down: 10 })
    expect(spentBetween(count, 200, 300)).toEqual({ ...none, up: 100 })
    expect(spentBetween(count, 30, 30)).toEqual(none)
  })

  test('is unknown in a gap, also in one that becomes known later', () => {
    const gaps = new Gaps(15)
    const ledger = new Ledger(gaps)
    ledger.note(change(0, 'up'))
    ledger.note(change(500, 'down'))
    expect(spentBetween(ledger, 0, 1000)).toEqual({ ...none, up: 500, down: 500 })
    ledger.recountFrom(gaps.add({ from: 400, to: 600 }).changedFrom)
    expect(spentBetween(ledger, 0, 1000)).toEqual({ ...none, up: 400, unknown: 200, down: 400 })
  })
})

test('more changes in an hour than are kept become one row, which says how many they were, and the newest counts', () => {
  const ledger = new Ledger(new Gaps(15))
  for (let index = 0; index < mostRowsPerHour; index++) ledger.note(change(hour + index * 60, kindOf(index)))
  expect(ledger.rows).toHaveLength(mostRowsPerHour)
  const writes = ledger.note(change(hour + 240, 'up'))
  expect([...writes].map(([at, row]) => [at - hour, row !== null])).toEqual([
    [0, true],
    [60, false],
    [120, false],
    [180, false],
    [240, false],
  ])
  const mixed = { up: 120, degraded: 0, down: 120, maintenance: 0 }
  expect(ledger.rows).toEqual([{ ...change(hour, 'up'), mixed: { ...mixed, until: hour + 240, changes: 5 } }])
  ledger.note(change(hour + 300, 'down'))
  expect(ledger.last).toMatchObject({ kind: 'down', mixed: { up: 180, until: hour + 300, changes: 6 } })
  // The edge of a window takes its share evenly.
  expect(spentBetween(ledger, hour, hour + 100)).toEqual({ ...none, up: 60, down: 40 })
  ledger.note(change(2 * hour, 'up'))
  expect(ledger.rows).toHaveLength(2)
})

test('time does not go back: a change that comes before the last one takes its place', () => {
  const ledger = countOf([
    [100, 'up'],
    [200, 'down'],
  ])
  ledger.note(change(150, 'degraded'))
  expect(ledger.rows.map(({ at, kind }) => [at, kind])).toEqual([
    [100, 'up'],
    [200, 'degraded'],
  ])
})

test('the same status again is no change, but its newest reason counts', () => {
  const ledger = countOf([[100, 'down']])
  expect(ledger.note(change(150, 'down')).size).toBe(0)
  const reason = { code: 'dns', message: 'Its name is not known.' } as const
  expect(ledger.note({ ...change(160, 'down'), reason })).toEqual(
    new Map([[100, { ...change(100, 'down'), reason, mixed: null }]]),
  )
})

test('what was noted after a second is taken back, and it is from then on what it is now', () => {
  const ledger = countOf([
    [100, 'up'],
    [2 * hour, 'down'],
    [3 * hour, 'degraded'],
  ])
  const writes = ledger.cut(hour)
  expect([...writes.keys()].sort((a, b) => a - b)).toEqual([hour, 2 * hour, 3 * hour])
  expect(ledger.rows.map(({ at, kind }) => [at, kind])).toEqual([
    [100, 'up'],
    [hour, 'degraded'],
  ])
  expect(ledger.cut(hour).size).toBe(0)
})

test('taking back in the middle of a mixed row leaves its share', () => {
  const ledger = new Ledger(new Gaps(15))
  for (let index = 0; index < 7; index++) ledger.note(change(hour + index * 100, kindOf(index)))
  ledger.cut(hour + 300)
  expect(ledger.rows).toMatchObject([
    { at: hour, kind: 'up', mixed: { until: hour + 300, up: 150, down: 150 } },
  ])
})

test('before the time that is kept, only the row that reaches into it stays', () => {
  const ledger = countOf([
    [0, 'up'],
    [day, 'down'],
    [2 * day, 'up'],
    [3 * day, 'down'],
  ])
  const before = spentBetween(ledger, 2.5 * day, 4 * day)
  expect([...ledger.tidy(4 * day, 2.5 * day).keys()]).toEqual([0, day])
  expect(ledger.rows.map(({ at }) => at)).toEqual([2 * day, 3 * day])
  expect(spentBetween(ledger, 2.5 * day, 4 * day)).toEqual(before)
  expect(spentBetween(ledger, 0, 3 * day)).toEqual({ ...none, up: day, unknown: 2 * day })
})

const anyKind = fc.constantFrom(...spentKinds)
const steps = fc.array(fc.record({ after: fc.integer({ min: 0, max: 1500 }), kind: anyKind }), {
  minLength: 1,
  maxLength: 60,
})
const anyGaps = fc.array(
  fc.record({ after: fc.integer({ min: 16, max: 4000 }), length: fc.integer({ min: 1, max: 900 }) }),
  { maxLength: 8 },
)

/** In the order of time, changes and gaps as they would come. */
function story(list: { after: number; kind: SpentKind }[], gapList: { after: number; length: number }[]) {
  const gaps: Gap[] = []
  for (const { after, length } of gapList) {
    const from = (gaps.at(-1)?.to ?? 0) + after
    gaps.push({ from, to: from + length })
  }
  let at = 0
  const changes = list.map(({ after, kind }) => {
    at += after
    return { at, kind }
  })
  return { gaps, changes, end: at + 2000 }
}

describe('whatever happens', () => {
  test('the parts make up the whole, a span is the sum of its halves, and the store has the rows of memory', () => {
    fc.assert(
      fc.property(
        steps,
        anyGaps,
        fc.array(fc.nat(60_000), { minLength: 3, maxLength: 3 }),
        (list, gapList, cuts) => {
          const { gaps, changes, end } = story(list, gapList)
          const ledger = new Ledger(new Gaps(15, gaps))
          const stored = new Map<number, Row>()
          for (const { at, kind } of changes) apply(stored, ledger.note(change(at, kind)))
          apply(stored, ledger.tidy(end + 20 * day, -1))
          expect([...stored.values()].sort((a, b) => a.at - b.at)).toEqual(ledger.rows)
          const [from, middle, to] = cuts.sort((a, b) => a - b) as [number, number, number]
          const whole = spentBetween(ledger, from, to)
          const [first, last] = [spentBetween(ledger, from, middle), spentBetween(ledger, middle, to)]
          expect(spentKinds.reduce((sum, kind) => sum + whole[kind], 0)).toBeCloseTo(to - from, 6)
          for (const kind of spentKinds) {
            expect(whole[kind]).toBeGreaterThanOrEqual(0)
            expect(first[kind] + last[kind]).toBeCloseTo(whole[kind], 6)
          }
          // What was counted from the rows as they came is what is counted from the store.
          expect(spentBetween(new Ledger(new Gaps(15, gaps), ledger.rows), from, to)).toEqual(whole)
        },
      ),
    )
  })

  test('in all it is the same, second by second, however many rows became one', () => {
    fc.assert(
      fc.property(steps, anyGaps, (list, gapList) => {
        const { gaps, changes, end } = story(list, gapList)
        const ledger = new Ledger(new Gaps(15, gaps))
        for (const { at, kind } of changes) ledger.note(change(at, kind))
        ledger.tidy(end + 20 * day, -1)
        expect(spentBetween(ledger, 0, end)).toEqual(slowly(changes, gaps, end))
      }),
      { numRuns: 50 },
    )
  })

  test('an hour has few rows, an old day fewer', () => {
    fc.assert(
      fc.property(steps, list => {
        const { changes, end } = story(list, [])
        const ledger = new Ledger(new Gaps(15))
        for (const { at, kind } of changes) ledger.note(change(at, kind))
        expect(mostIn(ledger, hour)).toBeLessThanOrEqual(mostRowsPerHour)
        ledger.tidy(end + 20 * day, -1)
        expect(mostIn(ledger, day)).toBeLessThanOrEqual(mostRowsPerOldDay)
      }),
    )
  })
})

const kindOf = (index: number): SpentKind => (index % 2 === 0 ? 'up' : 'down')

function apply(stored: Map<number, Row>, writes: RowWrites): void {
  for (const [at, row] of writes) {
    if (row) stored.set(at, row)
    else stored.delete(at)
  }
}

function slowly(changes: readonly { at: number; kind: SpentKind }[], gaps: readonly Gap[], end: number) {
  const spent = { ...none }
  let next = 0
  let kind: SpentKind = 'unknown'
  for (let second = 0; second < end; second++) {
    while (next < changes.length && changes[next]!.at <= second) kind = changes[next++]!.kind
    spent[gaps.some(({ from, to }) => from <= second && second < to) ? 'unknown' : kind]++
  }
  return spent
}

function mostIn(ledger: Ledger, seconds: number): number {
  const counts = Map.groupBy(ledger.rows, ({ at }) => Math.floor(at / seconds))
  return Math.max(...[...counts.values()].map(({ length }) => length))
}
