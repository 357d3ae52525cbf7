import { DatabaseSync } from 'node:sqlite'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { sqliteEngine } from '../../store/engines/sqlite/index.ts'
import { change, databaseFile, historyUnderTest, startS } from './under-test.ts'

test('a store that is away loses nothing and puts nothing in another order, and figures stay true meanwhile', async () => {
  const file = databaseFile()
  const under = await historyUnderTest(() => sqliteEngine(file))
  const { history, events, now, watch, log } = under
  history.changed('hello', change(startS, 'up'))
  await until('it is stored', async () => (await events.latest()) === 1)

  const other = new DatabaseSync(file)
  other.exec('ALTER TABLE service_change RENAME TO taken_away')
  history.changed('hello', change(startS, 'degraded'))
  await until('it was tried', () => log.text().includes('kept in memory until it can be'))
  for (let index = 0; index < 6; index++) {
    watch(10)
    history.changed('hello', change(now(), index % 2 === 0 ? 'down' : 'up'))
    history.changed(`other-${index}`, change(now(), 'up'))
  }
  expect(history.days('hello', now(), 'UTC', 1)).toMatchObject([{ degraded_s: 10, down_s: 30, up_s: 20 }])
  expect(await events.latest()).toBe(1)

  other.exec('ALTER TABLE taken_away RENAME TO service_change')
  other.close()
  await until('it is stored again', () => log.text().includes('being stored again'))
  const after = await under.again()
  expect(after.history.days('hello', after.now(), 'UTC', 1)).toMatchObject([
    { degraded_s: 10, down_s: 30, up_s: 20 },
  ])
  expect(after.history.last('other-5')).toMatchObject({ kind: 'up' })
  const told = (await after.events.after(0)).filter(({ subject }) => subject === 'service/hello')
  const statuses = told.map(({ data }) => data.status)
  expect(statuses.slice(0, 3)).toEqual(['operational', 'degraded', 'outage'])
})

test('when the store is still away at the end, that is said, and control ends', async () => {
  const file = databaseFile()
  const { history, log } = await historyUnderTest(() => sqliteEngine(file))
  const other = new DatabaseSync(file)
  other.exec('DROP TABLE service_change')
  other.close()
  history.changed('hello', change(startS, 'up'))
  await history.stop()
  expect(log.text()).toContain('cannot be stored, and is lost')
})

test('what is noted while somebody writes something else is stored for itself', async () => {
  const file = databaseFile()
  const under = await historyUnderTest(() => sqliteEngine(file))
  await under.history.stop()
  const refused = under.store.write(async () => {
    under.history.changed('hello', change(startS, 'up'))
    throw new Error('changed my mind')
  })
  await expect(refused).rejects.toThrow('changed my mind')
  await until('it is stored', async () => (await under.events.latest()) === 1)
  expect(under.log.text()).not.toContain('cannot be stored')
})
