import { expect, test } from 'vitest'
import { BackOff, defaultBackOff } from './back-off.ts'

test('the wait doubles up to a minute, and begins anew after one that lived', () => {
  const backOff = new BackOff(defaultBackOff)
  const waits = Array.from({ length: 8 }, () => backOff.next(10))
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
  expect(backOff.next(60_000)).toBe(1000)
  expect(backOff.next(59_999)).toBe(2000)
  backOff.reset()
  expect(backOff.next(0)).toBe(1000)
})
