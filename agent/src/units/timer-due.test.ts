import { expect, test } from 'vitest'
import { lastDue } from './timer-due.ts'

const at = (time: string) => Date.parse(`2026-03-${time}Z`)

test('an interval is due once it has passed, in step with where it began', () => {
  const timer = { every_s: 600 }
  expect(lastDue(timer, at('01T00:00:00'), at('01T00:09:59'))).toBeUndefined()
  expect(lastDue(timer, at('01T00:00:00'), at('01T00:10:00'))).toBe(at('01T00:10:00'))
  expect(lastDue(timer, at('01T00:00:00'), at('01T00:10:07'))).toBe(at('01T00:10:00'))
})

test('a time of day is due once a day', () => {
  const timer = { at: '03:30' }
  expect(lastDue(timer, at('01T00:00:00'), at('01T03:29:59'))).toBeUndefined()
  expect(lastDue(timer, at('01T00:00:00'), at('01T03:30:01'))).toBe(at('01T03:30:00'))
  expect(lastDue(timer, at('01T03:30:00'), at('02T03:29:59'))).toBeUndefined()
  expect(lastDue(timer, at('01T03:30:00'), at('02T03:30:00'))).toBe(at('02T03:30:00'))
})

test('times that were missed count once', () => {
  expect(lastDue({ at: '03:30' }, at('01T03:30:00'), at('09T01:00:00'))).toBe(at('08T03:30:00'))
  expect(lastDue({ every_s: 60 }, at('01T00:00:00'), at('01T05:00:30'))).toBe(at('01T05:00:00'))
})

test('a clock that was put back a little runs nothing twice, and one put back far does not stop the timer', () => {
  expect(lastDue({ at: '03:30' }, at('01T03:30:00'), at('01T03:29:59'))).toBeUndefined()
  expect(lastDue({ every_s: 60 }, at('01T00:01:00'), at('01T00:00:59'))).toBeUndefined()
  expect(lastDue({ every_s: 60 }, at('20T00:00:00'), at('01T00:00:00'))).toBe(at('01T00:00:00'))
  expect(lastDue({ at: '03:30' }, at('20T03:30:00'), at('01T04:00:00'))).toBe(at('01T03:30:00'))
})
