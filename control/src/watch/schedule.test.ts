import { expect, test } from 'vitest'
import { Schedule } from './schedule.ts'

const start = Date.parse('2026-03-02T09:00:00Z')
const interval = 15_000

/** When each target was looked at, in milliseconds after the start, with a look at the schedule every `stepMs`. */
function watched(schedule: Schedule<string>, forMs: number, stepMs = 20): Map<string, number[]> {
  const times = new Map<string, number[]>()
  for (let at = 0; at <= forMs; at += stepMs) {
    for (const { target } of schedule.due(start + at)) times.set(target, [...(times.get(target) ?? []), at])
  }
  return times
}

test('each target is due once in every interval, always at the same offset', () => {
  const schedule = new Schedule<string>(start)
  for (const name of ['a', 'b', 'c']) schedule.set(name, name, interval)
  const times = watched(schedule, 60_000)
  for (const name of ['a', 'b', 'c']) {
    const [first, ...rest] = times.get(name)!
    expect(first).toBeLessThan(interval)
    expect(rest).toEqual([1, 2, 3].map(turn => first! + turn * interval))
  }
})

test('a restart changes nothing of when it is due', () => {
  const due = (from: number) => {
    const schedule = new Schedule<string>(from)
    schedule.set('hello', 'hello', interval)
    for (let at = from; ; at += 20) if (schedule.due(at).length > 0) return at % interval
  }
  const times = [start, start + 1234, start + 40_000, start + 86_400_000 + 777].map(due)
  // Within one slot.
  expect(Math.max(...times) - Math.min(...times)).toBeLessThan(20)
})

test('ten thousand targets are spread evenly', () => {
  const schedule = new Schedule<string>(start)
  for (let index = 0; index < 10_000; index++) schedule.set(`service-${index}`, `${index}`, interval)
  const counts: number[] = []
  for (let at = 0; at < interval; at += 500) {
    let count = 0
    for (let step = at; step < at + 500; step += 20) count += schedule.due(start + step).length
    counts.push(count)
  }
  expect(counts.reduce((sum, count) => sum + count)).toBe(10_000)
  // 333 each on average.
  expect(Math.max(...counts)).toBeLessThan(420)
  expect(Math.min(...counts)).toBeGreaterThan(250)
})

test('after a long pause each is due once, and its lag is told', () => {
  const schedule = new Schedule<string>(start)
  for (const name of ['a', 'b']) schedule.set(name, name, interval)
  const due = schedule.due(start + 3_600_000)
  expect(due.map(({ target }) => target).sort()).toEqual(['a', 'b'])
  for (const { lagMs } of due) expect(lagMs).toBeLessThan(interval)
  expect(schedule.due(start + 3_600_000)).toEqual([])
})

test('a clock that is set back looks at nobody twice', () => {
  const schedule = new Schedule<string>(start)
  schedule.set('a', 'a', interval)
  schedule.due(start + 60_000)
  expect(schedule.due(start + 30_000)).toEqual([])
  expect(schedule.due(start + 60_000 + interval)).toHaveLength(1)
})

test('a removed target is not due, and a replaced one keeps its time', () => {
  const schedule = new Schedule<string>(start)
  schedule.set('a', 'old', interval)
  schedule.set('a', 'new', interval)
  schedule.set('b', 'b', interval)
  schedule.remove('b')
  schedule.remove('never')
  expect([...watched(schedule, interval).keys()]).toEqual(['new'])
  schedule.set('a', 'other interval', 5000)
  expect(watched(schedule, 0).size).toBe(0)
  const times = schedule.due(start + 2 * interval)
  expect(times.map(({ target }) => target)).toEqual(['other interval'])
  expect(schedule.size).toBe(1)
})

test('it tells how long to wait for the next slot', () => {
  const schedule = new Schedule<string>(start)
  schedule.due(start)
  expect(schedule.waitMs(start + 5)).toBe(15)
  expect(schedule.waitMs(start + 500)).toBe(1)
})
