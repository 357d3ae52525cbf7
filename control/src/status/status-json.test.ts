import { join } from 'node:path'
import { serviceHistoryDocument, statusDocument } from '@quarterdeck/contract'
import { FakeClock, memoryLog, temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { Events } from '../events/index.ts'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { Store } from '../store/index.ts'
import { History } from '../watch/history/index.ts'
import { serviceOf } from '../watch/service-under-test.ts'
import { Watch } from '../watch/watch.ts'
import { serviceJson } from './service-json.ts'
import { StatusJson } from './status-json.ts'

const interval = 15

/** Services that tell how they are, and a clock that stands still. */
async function begin() {
  const clock = new FakeClock('2026-03-01T00:00:00Z')
  const file = join(temporaryDirectory(), 'database.sqlite')
  const { log } = memoryLog()
  const page = { name: 'Acme', url: 'https://status.example.com', environment: 'example.com' }
  const open = async () => {
    const store = await Store.open(sqliteEngine(file))
    const events = new Events(store, clock)
    const history = await History.open({ store, events, clock, log, intervalS: interval })
    const restarts = { isUnderWay: () => false }
    const watch = new Watch({ clock, log, history, restarts, intervalMs: 15_000, timeoutMs: 1000 })
    const seconds = () => Math.floor(clock.now().getTime() / 1000)
    const observer = () => ({ ok: true, engine: 'embedded' as const, ...history.observer(seconds()) })
    const options = { watch, history, clock, page, observer }
    const json = new StatusJson(options)
    const set = (state: 'up' | 'down' | 'unknown', id = 'hello', group = 'production') => {
      const reason = state === 'down' ? ({ code: 'timeout', message: 'It does not answer.' } as const) : null
      const condition = { state, since: seconds(), reason }
      return serviceOf([{ id, machine: null, kind: 'told', condition }], { id, group })
    }
    const read = (group?: string) => statusDocument.schema.parse(JSON.parse(`${json.get(group)!.bytes}`))
    const history90 = (id = 'hello') =>
      serviceHistoryDocument.schema.parse(JSON.parse(`${serviceJson(id, 'UTC', options)!.bytes}`))
    const stop = async () => {
      await history.stop()
      await store.close()
    }
    /** Somebody watches all the time. */
    const pass = (s: number) => {
      for (let left = s; left > 0; left -= 5) {
        clock.advance(Math.min(5, left) * 1000)
        history.tick()
      }
    }
    return { watch, json, set, read, history90, stop, pass }
  }
  return { clock, open }
}

test('a change is there at once; a look after a few seconds; else the bytes stay the same', async () => {
  const { open, clock } = await begin()
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
  const { open } = await begin()
  const { watch, set, json, read, stop } = await open()
  onTestFinished(stop)
  watch.set([set('up'), set('down', 'shop', 'web')])
  expect(read('production')).toMatchObject({ status: { indicator: 'none' }, services: [{ id: 'hello' }] })
  expect(json.get('nowhere')).toBeUndefined()
})

test('an hour that control was stopped for is unknown: in uptime, coverage and days', async () => {
  const { open, clock } = await begin()
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
