import type { Clock } from '@quarterdeck/kit'
import { expect, test } from 'vitest'
import { Presence } from './presence.ts'

const start = 1_800_000_000
const hour = 3600

/** Two clocks that are moved apart. */
function clocks() {
  let [wallS, monotonicMs] = [start, 5000]
  const clock: Clock = { now: () => new Date(wallS * 1000), monotonicMs: () => monotonicMs }
  return {
    clock,
    pass(seconds: number) {
      wallS += seconds
      monotonicMs += seconds * 1000
    },
    set: (seconds: number) => {
      wallS += seconds
    },
  }
}

test('who looks every few seconds was there', () => {
  const { clock, pass } = clocks()
  const presence = new Presence(clock, 15, null)
  expect(presence.before).toBeNull()
  for (let tick = 0; tick < 10; tick++) {
    pass(5)
    expect(presence.check()).toBeNull()
  }
  expect(presence.seen).toEqual({ since: start, until: start + 50 })
})

test('control was away until one interval after its start', () => {
  const presence = new Presence(clocks().clock, 15, { since: 1000, until: start - hour })
  expect(presence.before).toEqual({ gap: { from: start - hour, to: start + 15 }, backTo: null })
  expect(presence.seen.since).toBe(1000)
})

test('a loop that was stuck, and a machine that slept, were not there', () => {
  const { clock, pass, set } = clocks()
  const presence = new Presence(clock, 15, null)
  pass(60)
  expect(presence.check()).toEqual({ gap: { from: start, to: start + 60 }, backTo: null })
  // Asleep, only the clock on the wall goes on; a clock that is set forward looks the same.
  set(hour)
  expect(presence.check()).toEqual({ gap: { from: start + 60, to: start + 60 + hour }, backTo: null })
  expect(presence.check()).toBeNull()
})

test('an hour that comes twice is unknown, and what was noted in it is taken back', () => {
  const { clock, pass, set } = clocks()
  const presence = new Presence(clock, 15, null)
  pass(5)
  presence.check()
  set(-hour)
  const backTo = start + 5 - hour
  expect(presence.check()).toEqual({ gap: { from: backTo, to: start + 5 }, backTo })
  pass(5)
  expect(presence.check()).toBeNull()
})

test('a clock that was years ahead was wrong: the years are not unknown', () => {
  const { clock, set } = clocks()
  const presence = new Presence(clock, 15, null)
  set(10 * 365 * 24 * hour)
  presence.check()
  set(-10 * 365 * 24 * hour)
  expect(presence.check()).toEqual({ gap: { from: start, to: start + 24 * hour }, backTo: start })
})

test('a clock that was set back while control was away', () => {
  const presence = new Presence(clocks().clock, 15, { since: 1000, until: start + hour })
  expect(presence.before).toEqual({ gap: { from: start, to: start + hour }, backTo: start })
})

test('a small step back is waited out', () => {
  const { clock, pass, set } = clocks()
  const presence = new Presence(clock, 15, null)
  set(-10)
  expect(presence.check()).toBeNull()
  expect(presence.seen.until).toBe(start)
  pass(12)
  expect(presence.check()).toBeNull()
  expect(presence.seen.until).toBe(start + 2)
})

test('stuck for an hour while the clock was set back for almost as long, only what shows is unknown', () => {
  const { clock, pass, set } = clocks()
  const presence = new Presence(clock, 15, null)
  pass(hour)
  set(10 - hour)
  expect(presence.check()).toEqual({ gap: { from: start, to: start + 10 }, backTo: null })
})
