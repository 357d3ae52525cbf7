import { join } from 'node:path'
import { FakeClock, temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { pruneAlerts } from './prune.ts'
import { alertsUnderTest, byAna, down, leased, watched } from './under-test.ts'

test('whoever reports is not lost because nobody listened for an hour', async () => {
  const file = join(temporaryDirectory(), 'database.sqlite')
  const clock = new FakeClock('2026-03-02T09:00:00Z')
  const before = await alertsUnderTest({ engine: sqliteEngine(file), clock, still: true })
  await before.reportAs(leased, down())
  await before.store.write(transaction =>
    before.alerts.heartbeats.set(transaction, byAna, 'backup', {
      every_s: 60,
      grace_s: 0,
      severity: 'critical',
    }),
  )
  clock.advance(3_600_000)
  const after = await alertsUnderTest({ engine: sqliteEngine(file), clock })
  await after.settled()
  after.advance(59_000)
  await after.settled()
  expect((await after.open()).items.map(({ state, labels }) => [state, labels.alertname])).toEqual([
    ['firing', 'ServiceDown'],
  ])
  after.advance(300_000)
  await after.settled()
  expect((await after.open()).items.find(({ labels }) => labels.job === 'hello')?.state).toBe('source_lost')
})

test('what ended long ago is dropped, and nothing that is open', async () => {
  const { report, over, settled, store, clock, open } = await watched(
    sqliteEngine(join(temporaryDirectory(), 'database.sqlite')),
  )
  await report(down(), down('other'))
  await settled()
  await over(down('other'))
  await settled()
  clock.advance(1000)
  await store.write(transaction => pruneAlerts(transaction, clock.now()))
  const left = await store.read(async transaction => [
    await transaction.selectFrom('problem').selectAll().execute(),
    await transaction.selectFrom('alert').selectAll().execute(),
    await transaction.selectFrom('delivery').selectAll().execute(),
  ])
  expect(left.map(rows => rows.length)).toEqual([1, 1, 1])
  expect((await open()).items).toHaveLength(1)
})
