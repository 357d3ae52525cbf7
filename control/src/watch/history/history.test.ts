import { DatabaseSync } from 'node:sqlite'
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
        type: 'service.changed',
        subject: 'service/hello',
        data: { status: 'operational', from: null, reason: null, since: '2026-03-02T00:00:00.000Z' },
      },
      {
        type: 'service.changed',
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
    expect(dayOf(under, '2026-03-03')?.down_s).toBeGreaterThan(20 * hour)
    const after = await under.again()
    expect(after.history.last('hello')).toMatchObject({ kind: 'down', at: startS + 2 * hour })
  })
})

describe('a store that is away', () => {
  test('loses nothing and puts nothing in another order, and figures stay true meanwhile', async () => {
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

  test('when it is still away at the end, that is said, and control ends', async () => {
    const file = databaseFile()
    const { history, log } = await historyUnderTest(() => sqliteEngine(file))
    const other = new DatabaseSync(file)
    other.exec('DROP TABLE service_change')
    other.close()
    history.changed('hello', change(startS, 'up'))
    await history.stop()
    expect(log.text()).toContain('cannot be stored, and is lost')
  })
})

describe('looks', () => {
  const look = (
    { history, clock, now }: HistoryUnderTest,
    seconds: number,
    latencyMs: () => number | null,
  ) => {
    for (let passed = 0; passed < seconds; passed += 15) {
      clock.advance(15_000)
      history.looked('hello', now(), { latencyMs: latencyMs() })
      history.tick()
    }
  }

  test('give the latency of the last hour, over a restart too, and none without them', async () => {
    const before = await underTest()
    expect(before.history.latency('hello', before.now())).toEqual({ p50: null, p95: null, p99: null })
    look(before, hour, () => 10)
    look(before, 45 * 60, () => 100)
    expect(before.history.latency('hello', before.now()).p50).toBeCloseTo(100, -1)
    const after = await before.again()
    const { p50, p95 } = after.history.latency('hello', after.now())
    expect([p50, p95]).toEqual([before.history.latency('hello', before.now()).p50, p95])
    look(after, 2 * hour, () => null)
    expect(after.history.latency('hello', after.now())).toEqual({ p50: null, p95: null, p99: null })
  })

  test('are rolled up to five minutes, hours and days, of which the longer are sums of the shorter', async () => {
    const under = await underTest()
    look(under, 2 * day + 2 * hour, () => 10)
    const ask = (from: number) => under.history.signals('hello', from, under.now())
    const fine = await ask(under.now() - 2 * hour)
    expect(fine.map(({ period_s }) => period_s)).toEqual(Array(25).fill(300))
    expect(fine.slice(0, -1).map(({ looks }) => looks)).toEqual(Array(24).fill(20))
    const hours = await ask(startS)
    expect(hours).toHaveLength(51)
    expect(hours.slice(0, -1).reduce((sum, { looks }) => sum + looks, 0)).toBe(50 * 240 - 1)
    const days = await ask(startS - 30 * day)
    expect(days.map(({ at, looks }) => [at - startS, looks])).toEqual([
      [0, 5759],
      [day, 5760],
      [2 * day, 481],
    ])
    expect(days[0]?.latency_ms.p99).toBeCloseTo(10, 0)
  })

  test('a day is whole, although control was killed in it', async () => {
    let under = await underTest()
    for (let index = 0; index < 4; index++) {
      look(under, 6 * hour, () => 10)
      await until('it is stored', () => under.history.stop().then(() => true))
      under = await under.again('killed')
    }
    look(under, hour, () => 10)
    const [first] = await under.history.signals('hello', startS - 30 * day, under.now())
    expect(first?.looks).toBe(5759)
  })

  test('with signals give rates, request latencies and memory', async () => {
    const under = await underTest()
    let requests = 0
    for (let passed = 0; passed < 600; passed += 15) {
      under.clock.advance(15_000)
      requests += 30
      if (passed === 300) requests = 30
      const latency = { le: [0.05, 0.1, Number.POSITIVE_INFINITY], counts: [0, requests, requests] }
      const signals = { requests, latency, memoryBytes: 1e6 + passed }
      for (const instance of ['a', 'b']) {
        under.history.looked('hello', under.now(), { latencyMs: 5, signals, instance })
      }
    }
    const [first] = await under.history.signals('hello', startS, under.now())
    expect(first).toMatchObject({ rate: 4, memory_bytes: 1e6 + 270, memory_max_bytes: 1e6 + 270, looks: 38 })
    expect(first!.request_ms.p50! / 75).toBeCloseTo(1, 1)
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
