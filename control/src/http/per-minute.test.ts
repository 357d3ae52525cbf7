import { FakeClock } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { PerMinute } from './per-minute.ts'

test('a key waits once it has reached the limit, until a minute after its first use', () => {
  const clock = new FakeClock()
  const calls = new PerMinute(clock, 2)
  expect(calls.waitS('a')).toBe(0)
  calls.count('a')
  clock.advance(10_000)
  calls.count('a')
  expect([calls.waitS('a'), calls.waitS('b')]).toEqual([50, 0])
  clock.advance(49_001)
  expect(calls.waitS('a')).toBe(1)
  clock.advance(999)
  expect(calls.waitS('a')).toBe(0)
  calls.count('a')
  expect(calls.waitS('a')).toBe(0)
})

test('ever new keys do not fill the memory: the oldest are forgotten, the newest count', () => {
  const calls = new PerMinute(new FakeClock(), 1)
  for (let i = 0; i < 20_000; i++) calls.count(`${i}`)
  expect([calls.waitS('0'), calls.waitS('9999'), calls.waitS('10000'), calls.waitS('19999')]).toEqual([
    0, 0, 60, 60,
  ])
})
