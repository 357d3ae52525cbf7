/** A year of whatever a service may do: how many rows it is, that none of its seconds is lost, and how much memory it takes. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { Events } from '#events'
import type { Store } from '#store'
import { sqliteEngine } from '../../store/engines/sqlite/index.ts'
import { type SpentKind, spentBetween, spentKinds } from '../time-spent.ts'
import { Gaps } from './gaps.ts'
import { Ledger } from './ledger.ts'
import { Pending } from './pending.ts'
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

test('a quiet year of ten thousand services takes about 60 MB: that of a thousand less than 6.5', async () => {
  // What the first run compiles and prepares is not theirs.
  await memoryOf(20)
  expect(await memoryOf(1000)).toBeLessThan(6.5e6)
})

async function memoryOf(count: number): Promise<number> {
  const services = Array.from({ length: count }, (_, index) => `service-${index}`)
  const file = databaseFile()
  const under = await historyUnderTest(() => sqliteEngine(file))
  await storeQuietYear(under.store, under.events, services)
  const before = memoryInUse()
  const { history, clock, now, log } = await under.again()
  for (let passed = 0; passed < 2 * hour; passed += 15) {
    clock.advance(15_000)
    for (const [index, service] of services.entries()) {
      const latencyMs = 3 + ((index * 7 + passed) % 11) / 3 + (passed % 900 === 0 ? 40 : 0)
      const latency = { le: bounds, counts: bounds.map((_, bound) => passed * (bound + 1)) }
      history.looked(service, now(), { latencyMs, signals: { requests: passed, latency, memoryBytes: 5e7 } })
    }
    history.tick()
    await nextTurn()
  }
  for (const service of services) history.uptime(service, now())
  await history.stop()
  const used = memoryInUse() - before
  expect(log.text()).not.toContain('cannot be stored')
  expect(history.last(services[0]!)?.kind).toBe('down')
  return used
}

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

/** Twenty changes each. */
async function storeQuietYear(store: Store, events: Events, services: readonly string[]): Promise<void> {
  const pending = new Pending()
  for (const service of services) {
    const ledger = new Ledger(new Gaps(15))
    for (let index = 0; index < 20; index++) {
      const at = startS - (360 - 18 * index) * day
      pending.change(service, ledger.note(change(at, index % 2 === 0 ? 'up' : 'down')))
    }
  }
  while (!pending.isEmpty) {
    const taken = pending.take()
    await store.write(transaction => taken.write(transaction, events))
  }
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function memoryInUse(): number {
  collectGarbage()
  collectGarbage()
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
