import { expect, test } from 'vitest'
import { Gaps } from './gaps.ts'
import { Ledger } from './ledger.ts'
import { mostPeriods, Pending } from './pending.ts'
import { Period } from './period.ts'
import { change } from './under-test.ts'

const fact = (status: string) =>
  ({ type: 'status.changed', subject: 'service/hello', data: { status } }) as const
const rowsOf = (...changes: Parameters<typeof change>[]) => {
  const ledger = new Ledger(new Gaps(15))
  return new Map(changes.flatMap(args => [...ledger.note(change(...args))]))
}

test('what could not be written comes back behind what is newer, and facts stay in order', () => {
  const pending = new Pending()
  pending.change('hello', rowsOf([10, 'up'], [20, 'down']), [fact('operational'), fact('outage')])
  pending.seen = { since: 0, until: 20 }
  const taken = pending.take()
  expect(pending.isEmpty).toBe(true)
  pending.change('hello', new Map([[20, null]]), [fact('degraded')])
  pending.seen = { since: 0, until: 30 }
  pending.putBack(taken)
  const { rows, facts } = pending.changes.get('hello')!
  expect([rows.get(10)?.kind, rows.get(20)]).toEqual(['up', null])
  expect(facts.map(({ data }) => data?.status)).toEqual(['operational', 'outage', 'degraded'])
  expect(pending.seen.until).toBe(30)
})

test('what comes back of a service that is gone stays away', () => {
  const pending = new Pending()
  pending.change('hello', rowsOf([10, 'up']))
  const taken = pending.take()
  pending.forget('hello')
  pending.putBack(taken)
  expect(pending.changes.size).toBe(0)
  expect(pending.take().gone).toEqual(new Set(['hello']))
})

test('a transaction is small, and all of one service is in one', () => {
  const pending = new Pending()
  for (let index = 0; index < 100; index++)
    pending.change(`service-${index}`, rowsOf([10, 'up'], [20, 'down'], [30, 'up']))
  const sizes: number[] = []
  while (!pending.isEmpty) {
    const { changes } = pending.take()
    sizes.push(changes.size)
    expect([...changes.values()].every(({ rows }) => rows.size === 3)).toBe(true)
  }
  expect(sizes).toEqual([66, 34])
})

test('a store that is away for hours does not fill the memory: days stay', () => {
  const pending = new Pending()
  const row = new Period(300, 0).row('')
  for (let index = 0; index < mostPeriods + 10; index++)
    pending.period({ ...row, service: `service-${index}` })
  pending.period(new Period(86_400, 0).row('hello'))
  expect(pending.periods.size).toBe(mostPeriods + 1)
})
