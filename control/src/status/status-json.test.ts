import { expect, onTestFinished, test } from 'vitest'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { begin, interval } from './under-test.ts'

test('a change is there at once; a look after a few seconds; else the bytes stay the same', async () => {
  const { open, clock } = await begin(sqliteEngine)
  const { watch, set, json, read, stop } = await open()
  onTestFinished(stop)
  watch.set([set('up'), set('up', 'shop', 'web')])
  const first = json.get()
  expect(json.get()).toBe(first)
  watch.set([set('down'), set('up', 'shop', 'web')])
  expect(json.get()).not.toBe(first)
  expect(read()).toMatchObject({
    status: { indicator: 'major', description: 'Hello is down' },
    services: [
      { id: 'hello', status: 'outage', ok: false, reason: { code: 'timeout' } },
      { id: 'shop', status: 'operational', ok: true },
    ],
  })
  const out = json.get()
  watch.tick()
  clock.advance(60_000)
  expect(json.get()).toBe(out)
})

test('of one group; of none there is nothing, however often it is asked for', async () => {
  const { open } = await begin(sqliteEngine)
  const { watch, set, json, read, stop } = await open()
  onTestFinished(stop)
  watch.set([set('up'), set('down', 'shop', 'web')])
  expect(read('production')).toMatchObject({ status: { indicator: 'none' }, services: [{ id: 'hello' }] })
  expect(json.get('nowhere')).toBeUndefined()
})

test('an hour that control was stopped for is unknown: in uptime, coverage and days', async () => {
  const { open, clock } = await begin(sqliteEngine)
  const before = await open()
  before.watch.set([before.set('up')])
  before.pass(6 * 3600)
  await before.stop()
  clock.advance(3600_000)
  const after = await open()
  onTestFinished(after.stop)
  after.pass(interval)
  after.watch.set([after.set('up')])
  after.pass(5 * 3600 - interval)
  const { services, observer } = after.read()
  expect(services[0]).toMatchObject({ status: 'operational', since: '2026-03-01T00:00:00Z' })
  expect(services[0]!.uptime['24h']).toBe(1)
  const unknownS = 3600 + interval
  expect(services[0]!.coverage['24h']).toBeCloseTo((12 * 3600 - unknownS) / 86_400, 4)
  expect(after.history90().history.at(-1)).toEqual({
    ...{ date: '2026-03-01', up_s: 12 * 3600 - unknownS, unknown_s: unknownS },
    ...{ degraded_s: 0, down_s: 0, maintenance_s: 0 },
  })
  expect(observer.last_gap).toMatchObject({
    started_at: expect.stringContaining('06:00:00'),
    ended_at: expect.stringContaining('07:00:15'),
  })
})
