/** A year of whatever a service may do: how many rows it is, that none of its seconds is lost, and what memory and figures cost. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { FakeClock } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import type { Store } from '#store'
import { sqliteEngine } from '../../store/engines/sqlite/index.ts'
import { type SpentKind, spentBetween, spentKinds } from '../time-spent.ts'
import { Gaps } from './gaps.ts'
import { Ledger } from './ledger.ts'
import { levels } from './period.ts'
import { change, databaseFile, historyUnderTest, startS } from './under-test.ts'

const hour = 3600
const day = 24 * hour
const mostRows = 3000

/** When it changes: as often as it can, just often enough for each row to stay, in bursts, by chance. */
const habits: Record<string, (random: () => number) => number> = {
  'every 30 seconds': () => 30,
  'four times an hour': () => 900,
  'a little less than four times an hour': () => 901,
  'every eight hours': () => 8 * hour,
  'in bursts': random => (random() < 0.02 ? 2 * day * random() : 20),
  'by chance': random => 10 ** (1 + 4 * random()),
}

test.each(Object.keys(habits))('a service that changes %s has few rows, and exact sums', habit => {
  const random = randomFrom(habit.length)
  const ledger = new Ledger(new Gaps(15))
  const spent = { up: 0, degraded: 0, down: 0, maintenance: 0, unknown: 0 }
  const rollUps = levels.reduce((sum, { kept }) => sum + kept, 0)
  const year = startS - (startS % day)
  let [at, tidied, most] = [year, 0, 0]
  let kind: SpentKind = 'up'
  ledger.note(change(at, kind))
  while (at < year + 400 * day) {
    const next = at + Math.ceil(habits[habit]!(random))
    spent[kind] += Math.min(next, year + 400 * day) - at
    at = next
    kind = spentKinds.filter(other => other !== kind)[Math.floor(random() * 4)]!
    ledger.note(change(at, kind))
    const today = Math.floor(at / day)
    if (today !== tidied) ledger.tidy(at, year - 1)
    tidied = today
    most = Math.max(most, ledger.rows.length)
  }
  expect(most + rollUps).toBeLessThanOrEqual(mostRows)
  const counted = spentBetween(ledger, year, year + 400 * day)
  // The last row may reach beyond the end, where a mixed one is cut.
  for (const each of spentKinds) expect(Math.abs(counted[each] - spent[each])).toBeLessThan(hour)
})

test('on the store, 410 days of flapping and looking stay below 3,000 rows, the same as in memory', async () => {
  const file = databaseFile()
  const under = await historyUnderTest(() => sqliteEngine(file))
  const { history, clock, now } = under
  let index = 0
  for (let passed = 0; passed < 410 * day; passed += 300) {
    clock.advance(300_000)
    history.looked('hello', now(), { latencyMs: 3 + (index % 7) })
    if (index % 2 === 0) history.changed('hello', change(now(), index % 4 === 0 ? 'up' : 'down'))
    history.tick()
    if (++index % 100 === 0) await nextTurn()
  }
  await history.stop()
  expect(await rowsOf(under.store)).toBeLessThanOrEqual(mostRows)
  const figures = history.uptime('hello', now())
  const days = history.days('hello', now(), 'Europe/Berlin', 90)
  const after = await under.again()
  expect(after.history.uptime('hello', now())).toEqual(figures)
  expect(after.history.days('hello', now(), 'Europe/Berlin', 90)).toEqual(days)
})

test('ten thousand services with a quiet year take less than 60 MB, and their figures little time', async () => {
  const services = Array.from({ length: 10_000 }, (_, index) => `service-${index}`)
  const file = databaseFile()
  const clock = new FakeClock('2025-03-01T00:00:00Z')
  const under = await historyUnderTest(() => sqliteEngine(file), clock)
  const before = memoryInUse()
  for (let change_ = 0; change_ < 20; change_++) {
    for (const service of services) {
      under.history.changed(service, change(under.now(), change_ % 2 === 0 ? 'up' : 'down'))
    }
    clock.advance(18 * day * 1000)
    for (let turn = 0; turn < 50; turn++) await nextTurn()
  }
  for (let passed = 0; passed < 2 * hour; passed += 60) {
    clock.advance(60_000)
    for (const [index, service] of services.entries()) {
      const latencyMs = 3 + ((index + passed / 60) % 5) + (passed % 900 === 0 ? 40 : 0)
      const counts = Array.from({ length: 15 }, (_, le) => passed * (le + 1))
      const latency = { le: bounds, counts }
      under.history.looked(service, under.now(), {
        latencyMs,
        signals: { requests: passed * 10, latency, memoryBytes: 5e7 + passed },
      })
    }
    under.history.tick()
    for (let turn = 0; turn < 20; turn++) await nextTurn()
  }
  await under.history.stop()
  const beganMs = performance.now()
  for (const service of services) {
    under.history.uptime(service, under.now())
    under.history.latency(service, under.now())
  }
  const figuresMs = performance.now() - beganMs
  const used = memoryInUse() - before
  const openedMs = performance.now()
  await under.again()
  const openMs = performance.now() - openedMs
  process.stdout.write(
    `10,000 services: ${(used / 1e6).toFixed(1)} MB, figures of all ${figuresMs.toFixed(0)} ms, opened in ${openMs.toFixed(0)} ms\n`,
  )
  expect(used).toBeLessThan(60e6)
})

const bounds = [
  0.005,
  0.01,
  0.025,
  0.05,
  0.075,
  0.1,
  0.25,
  0.5,
  0.75,
  1,
  2.5,
  5,
  7.5,
  10,
  Number.POSITIVE_INFINITY,
]

function memoryInUse(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function rowsOf(store: Store): Promise<number> {
  const counts = await store.read(transaction =>
    Promise.all(
      (['service_change', 'service_period'] as const).map(table =>
        transaction
          .selectFrom(table)
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow(),
      ),
    ),
  )
  return counts.reduce((sum, { count }) => sum + Number(count), 0)
}

/** The same numbers in every run. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}
