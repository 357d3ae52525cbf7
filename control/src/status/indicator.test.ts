import type { ServiceStatus } from '@quarterdeck/contract'
import { expect, test } from 'vitest'
import { groupsOf } from './groups.ts'
import { indicatorOf } from './indicator.ts'

const letters: Record<string, ServiceStatus> = {
  o: 'operational',
  d: 'degraded',
  p: 'partial_outage',
  x: 'outage',
  m: 'maintenance',
  '?': 'unknown',
}
const of = (text: string, isObserved = true) =>
  indicatorOf(
    [...text].map((letter, index) => ({ name: `s${index}`, status: letters[letter]! })),
    isObserved,
  )

test.each([
  ['', 'none', 'There are no services yet'],
  ['ooo', 'none', 'All services are operational'],
  ['oo?', 'none', 'All other services are operational; nothing is known of one service'],
  ['???', 'unknown', 'Nobody watches the services at the moment'],
  ['od', 'minor', 's1 is not as it should be'],
  ['dd', 'minor', 's0 and s1 are not as they should be'],
  ['op', 'minor', 's1 is partly down'],
  ['oox', 'major', 's2 is down'],
  ['x', 'major', 's0 is down'],
  ['oxx', 'critical', 's1 and s2 are down'],
  ['xxxxo', 'critical', '4 services are down'],
  ['om', 'maintenance', 's1 is under maintenance'],
])('%j: %s, %s', (text, indicator, description) => {
  expect(of(text)).toEqual({ indicator, description })
})

test('while nobody watches, nothing is well', () => {
  expect(of('ooo', false).indicator).toBe('unknown')
})

test('groups: the usual three that are used, then others', () => {
  const groups = groupsOf([{ group: 'web' }, { group: 'development' }, { group: 'production' }])
  expect(groups.map(({ id, name, order }) => `${order} ${id} ${name}`)).toEqual([
    '1 production Production',
    '2 development Development',
    '3 web Web',
  ])
})
