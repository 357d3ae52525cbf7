import { expect, test } from 'vitest'
import { flappingPauseS, Telling } from './telling.ts'
import { change } from './under-test.ts'

const always = () => true

test('a year of flapping is told a bounded number of times in each hour', () => {
  const telling = new Telling()
  let told = 0
  for (let at = 0; at < 10 * 3600; at += 10) {
    const kind = at % 20 === 0 ? 'up' : 'down'
    if (telling.changed('hello', at === 0 ? null : 'operational', change(at, kind), at)) told++
    told += telling.due(at, always).length
  }
  expect(told).toBeLessThanOrEqual(10 * (4 + 3600 / flappingPauseS))
})

test('where it stands as was told last, nothing is told', () => {
  const telling = new Telling()
  const kinds = ['up', 'down', 'up', 'down', 'up', 'down'] as const
  const facts = kinds.map((kind, at) => telling.changed('hello', null, change(at, kind), at))
  expect(facts.map(fact => fact?.data?.status)).toEqual([
    'operational',
    'outage',
    'operational',
    'outage',
    undefined,
    undefined,
  ])
  expect(telling.due(flappingPauseS + 10, always)).toEqual([])
  expect(telling.due(2 * flappingPauseS + 10, always)).toEqual([])
})

test('what cannot be told yet is told later, with how many changes it was', () => {
  const telling = new Telling()
  expect(telling.changed('hello', 'operational', change(10, 'down'), 10, false)).toBeNull()
  expect(telling.changed('hello', 'outage', change(20, 'degraded'), 20)).toBeNull()
  expect(telling.due(1000, () => false)).toEqual([])
  expect(telling.due(1000, always)).toMatchObject([
    { service: 'hello', fact: { data: { status: 'degraded', from: 'operational', changes: 2 } } },
  ])
  telling.tidy(10_000)
  expect(telling.due(10_000, always)).toEqual([])
})
