import { expect, test } from 'vitest'
import type { Condition } from './condition.ts'
import { isOk, rollUp } from './roll-up.ts'

const reason = { code: 'connect', message: 'Nothing takes the connection.' } as const
/** `u7` is up since second 7. */
const condition = (text: string): Condition => {
  const state = ({ u: 'up', g: 'degraded', d: 'down', '?': 'unknown' } as const)[text[0] as 'u']
  const isKnown = state !== ('unknown' as string)
  const isWell = state === 'up' || !isKnown
  return { state, since: isKnown ? Number(text.slice(1)) : null, reason: isWell ? null : reason }
}

test.each([
  ['', 'unknown', null, 0],
  ['?', 'unknown', null, 0],
  ['u5', 'operational', 5, 1],
  ['u5 u9', 'operational', 9, 2],
  ['u5 ?', 'operational', 5, 1],
  ['u5 g9', 'degraded', 9, 2],
  ['g7 g9', 'degraded', 7, 2],
  ['u5 d9', 'partial_outage', 9, 1],
  ['g5 d9 d8', 'partial_outage', 8, 1],
  ['d5 d9', 'outage', 9, 0],
  ['d5 ?', 'outage', 5, 0],
])('%j is %s since %j, %d up', (text, status, since, up) => {
  const conditions = text.split(' ').filter(Boolean).map(condition)
  const rolled = rollUp(conditions)
  expect([rolled.status, rolled.since, rolled.up]).toEqual([status, since, up])
  expect(rolled.total).toBe(conditions.length)
  expect(rolled.reason).toEqual(['operational', 'unknown'].includes(status) ? null : reason)
})

test('unknown is neither up nor down', () => {
  expect([isOk('unknown'), isOk('operational'), isOk('degraded'), isOk('outage')]).toEqual([
    null,
    true,
    true,
    false,
  ])
})
