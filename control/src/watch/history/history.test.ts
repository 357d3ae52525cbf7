import { until } from '@quarterdeck/testing'
import { describe, expect, test } from 'vitest'
import { sqliteEngine } from '../../store/engines/sqlite/index.ts'
import { change, databaseFile, type HistoryUnderTest, historyUnderTest, startS } from './under-test.ts'

const hour = 3600
const day = 24 * hour

function underTest(): Promise<HistoryUnderTest> {
  const file = databaseFile()
  return historyUnderTest(() => sqliteEngine(file))
}

const dayOf = ({ history, now }: HistoryUnderTest, date: string) =>
  history.days('hello', now(), 'UTC', 3).find(each => each.date === date)

describe('changes', () => {
  test('are there at once, and after a restart', async () => {
    const before = await underTest()
    before.history.changed('hello', change(startS, 'up'))
    before.watch(60)
    before.history.changed('hello', change(startS + 50, 'down'))
    expect(before.history.last('hello')).toEqual({ ...change(startS + 50, 'down'), flapping: null })
    const after = await before.again()
    expect(after.history.last('hello')).toEqual({ ...change(startS + 50, 'down'), flapping: null })
    expect(after.history.last('other')).toBeUndefined()
  })

  test('are on disk as soon as the store has taken them: who is killed loses none', async () => {
    const before = await underTest()
    before.history.changed('hello', change(startS, 'up'))
    await until('it is stored', async () => (await before.events.latest()) === 1)
    const after = await before.again('killed')
    expect(after.history.last('hello')?.kind).toBe('up')
  })

  test('are told as events, with what it was before', async () => {
    const { history, events, clock } = await underTest()
    history.changed('hello', change(startS, 'up'))
    clock.advance(10_000)
    history.changed('hello', change(startS + 9, 'down'))
    await history.stop()
    expect((await events.after(0)).map(({ type, subject, data }) => ({ type, subject, data }))).toEqual([
      {
        type: 'status.changed',
        subject: 'service/hello',
        data: { status: 'operational', from: null, reason: null, since: '2026-03-02T00:00:00.000Z' },
      },
      {
        type: 'status.changed',
        subject: 'service/hello',
        data: {
          status: 'outage',
          from: 'operational',
          reason: { code: 'timeout', message: 'It does not answer.' },
          since: '2026-03-02T00:00:09.000Z',
        },
      },
    ])
  })

  test('of a service that flaps are told now and then, and the last one always', async () => {
    const { history, events, clock, watch, now } = await underTest()
    history.changed('hello', change(startS, 'up'))
    for (let index = 0; index < 100; index++) {
      clock.advance(10_000)
      history.changed('hello', change(now(), index % 2 === 0 ? 'down' : 'up'))
    }
    history.changed('hello', change(now(), 'maintenance'))
    expect(history.last('hello')).toMatchObject({ status: 'maintenance', flapping: 102 })
    watch(600)
    await history.stop()
    const told = await events.after(0)
    expect(told.length).toBeLessThanOrEqual(8)
    expect(told.at(-1)?.data).toMatchObject({ status: 'maintenance', from: 'outage' })
    for (const [index, { data }] of told.entries()) {
      if (index > 0) expect(data.from).toBe(told[index - 1]!.data.status)
    }
  })

  test('hold no text that a database refuses', async () => {
    const { history, again } = await underTest()
    const reason = { code: 'body', message: `\0${'x'.repeat(10_000)}` } as const
    history.changed('hello', { ...change(startS, 'down'), reason })
    expect((await again()).history.last('hello')?.reason?.message).toBe('x'.repeat(500))
  })
})

describe('time that nobody observed', () => {
  test('an hour without control is unknown in uptime, coverage and bars', async () => {
    const before = await underTest()
    before.history.changed('hello', change(startS, 'up'))
    before.watch(2 * hour)
    const after = await before.again('stopped', hour)
    after.watch(21 * hour, 10)
    const { uptime, coverage } = after.history.uptime('hello', after.now())
    expect(uptime['24h']).toBe(1)
    // Until one interval after the start nobody had looked.
    expect(coverage['24h']).toBeCloseTo((23 * hour - 15) / day, 10)
    expect(dayOf(after, '2026-03-02')).toMatchObject({
      up_s: 23 * hour - 15,
      unknown_s: hour + 15,
      down_s: 0,
    })
    expect(after.history.observer(after.now())).toEqual({
      since: '2026-03-02T03:00:15.000Z',
      last_gap: { started_at: '2026-03-02T02:00:00.000Z', ended_at: '2026-03-02T03:00:15.000Z' },
    })
  })

  test('of one that was killed at most 15 seconds more are unknown', async () => {
    const before = await underTest()
    before.history.changed('hello', change(startS, 'up'))
    for (let passed = 0; passed < 120; passed += 5) {
      before.watch(5)
      await until('it is stored', async () => {
        const [row] = await before.store.read(transaction =>
          transaction.selectFrom('observation').selectAll().execute(),
        )
        return row !== undefined && before.now() - row.seen_until < 15
      })
    }
    const after = await before.again('killed', hour)
    const { started_at } = after.history.observer(after.now()).last_gap!
    expect(Date.parse(started_at) / 1000).toBeGreaterThanOrEqual(startS + 120 - 15)
    expect(after.history.observer(after.now())).toMatchObject({ since: null, last_gap: { ended_at: null } })
  })

  test('a clock that is set forward leaves a gap', async () => {
    const under = await underTest()
    under.history.changed('hello', change(startS, 'up'))
    under.watch(hour)
    under.clock.jump(hour * 1000)
    under.watch(hour)
    expect(dayOf(under, '2026-03-02')).toMatchObject({ up_s: 2 * hour - 5, unknown_s: hour + 5 })
  })

  test('a clock that is set back makes the hour that comes twice unknown, and no change goes back in time', async () => {
    const under = await underTest()
    const { history, now } = under
    history.changed('hello', change(startS, 'up'))
    under.watch(3 * hour)
    history.changed('hello', change(now(), 'down'))
    under.clock.jump(-hour * 1000)
    under.watch(5)
    // A look that was begun before the clock was set.
    history.changed('hello', change(now() + hour, 'degraded'))
    expect(history.last('hello')).toMatchObject({ at: startS + 2 * hour + 5, kind: 'degraded' })
    under.watch(2 * hour - 5)
    const expected = { up_s: 2 * hour, unknown_s: hour, degraded_s: hour, down_s: 0 }
    expect(dayOf(under, '2026-03-02')).toMatchObject(expected)
    const after = await under.again()
    expect(dayOf(after, '2026-03-02')).toMatchObject(expected)
  })

  test('a clock that was ten years ahead does no lasting harm', async () => {
    const under = await underTest()
    under.history.changed('hello', change(startS, 'up'))
    under.watch(hour)
    const yearsMs = 10 * 365 * day * 1000
    under.clock.jump(yearsMs)
    under.watch(hour)
    under.history.changed('hello', change(under.now(), 'down'))
    under.history.looked('hello', under.now(), { latencyMs: 3 })
    under.clock.jump(-yearsMs)
    under.watch(2 * day, 10)
    under.history.looked('hello', under.now(), { latencyMs: 3 })
    under.clock.advance(5000)
    expect(under.history.latency('hello', under.now()).p50).toBeCloseTo(3, 0)
    const [period] = await under.history.signals('hello', under.now() - hour, under.now())
    expect(period).toMatchObject({ period_s: 300, looks: 1 })
    expect(dayOf(under, '2026-03-03')?.down_s).toBeGreaterThan(20 * hour)
    const after = await under.again()
    expect(after.history.last('hello')).toMatchObject({ kind: 'down', at: startS + 2 * hour })
  })
})

describe('a service that is not watched any more', () => {
  test('is unknown from then on, keeps its history, and goes on when it comes back', async () => {
    const under = await underTest()
    under.history.changed('hello', change(startS, 'up'))
    under.watch(hour)
    under.history.forget('hello')
    under.history.forget('never')
    under.watch(hour)
    under.history.changed('hello', change(under.now(), 'up'))
    under.watch(hour)
    expect(dayOf(under, '2026-03-02')).toMatchObject({ up_s: 2 * hour, unknown_s: hour })
  })

  test('is gone after 400 days, from the store too', async () => {
    const under = await underTest()
    under.history.changed('hello', change(startS, 'up'))
    under.history.looked('hello', startS, { latencyMs: 3 })
    under.watch(hour)
    under.history.changed('quiet', change(under.now(), 'up'))
    under.history.forget('hello')
    under.clock.advance(401 * day * 1000)
    under.watch(60)
    await under.history.stop()
    const services = await under.store.read(async transaction => [
      ...(await transaction.selectFrom('service_change').select('service').execute()),
      ...(await transaction.selectFrom('service_period').select('service').execute()),
    ])
    expect(services.map(({ service }) => service)).toEqual(['quiet'])
    expect(under.history.last('quiet')?.kind).toBe('up')
  })
})
