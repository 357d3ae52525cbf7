import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { sqliteEngine } from '../../store/engines/sqlite/index.ts'
import { databaseFile, type HistoryUnderTest, historyUnderTest, startS } from './under-test.ts'

const hour = 3600
const day = 24 * hour

function underTest(): Promise<HistoryUnderTest> {
  const file = databaseFile()
  return historyUnderTest(() => sqliteEngine(file))
}

const look = ({ history, clock, now }: HistoryUnderTest, seconds: number, latencyMs: () => number | null) => {
  for (let passed = 0; passed < seconds; passed += 15) {
    clock.advance(15_000)
    history.looked('hello', now(), { latencyMs: latencyMs() })
    history.tick()
  }
}

test('looks give the latency of the last hour, over a restart too, and none without them', async () => {
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

test('looks are rolled up to five minutes, hours and days, of which the longer are sums of the shorter', async () => {
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

test('a day is whole but for the minutes under way, although control was killed in it', async () => {
  let under = await underTest()
  for (let index = 0; index < 4; index++) {
    look(under, 6 * hour - 60, () => 10)
    const { store, now } = under
    await until('what has ended is stored', async () => {
      const ended = now() - (now() % 300) - 300
      const rows = store.read(transaction =>
        transaction.selectFrom('service_period').selectAll().where('at', '=', ended).execute(),
      )
      return (await rows).length > 0
    })
    under = await under.again('killed', 60)
  }
  look(under, hour, () => 10)
  const [first] = await under.history.signals('hello', startS - 30 * day, under.now())
  // Four times a look every 15 seconds for 6 hours less a minute, without the 17 of the five minutes that were under way.
  expect(first?.looks).toBe(4 * ((6 * 60 - 1) * 4 - 17))
})

test('looks with signals give rates, request latencies and memory', async () => {
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
