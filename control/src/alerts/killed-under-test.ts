/** A process of its own that takes an alert, or its end, and tells of it, for tests that kill it. Prints `settled` when there is nothing left. */
import { join } from 'node:path'
import { systemClock } from '@quarterdeck/kit'
import { pino } from 'pino'
import { Events } from '#events'
import { bySystem } from '#http'
import { SecretBox } from '#secrets'
import { type Engine, Store } from '#store'
import { Alerts } from './alerts.ts'
import { usualTiming } from './problem-state.ts'

interface Order {
  /** Where the engine of the store is. */
  engine: string
  home: string
  apiUrl: string
  token: string
  chat: string
  over: boolean
  /** Dies right after this many commits. */
  dieAfter: number
}

const order = JSON.parse(process.argv[2] ?? '{}') as Order
const { sqliteEngine } = (await import(order.engine)) as { sqliteEngine(file: string): Engine }
const store = await Store.open(sqliteEngine(join(order.home, 'database.sqlite')))
let commits = 0
store.onCommit(() => {
  if (++commits === order.dieAfter) process.kill(process.pid, 'SIGKILL')
})
const alerts = new Alerts({
  store,
  events: new Events(store, systemClock),
  clock: systemClock,
  log: pino({ level: 'silent' }),
  secrets: new SecretBox(order.home),
  settings: {
    timing: usualTiming,
    groupBy: ['job', 'alertname'],
    leaseMs: 300_000,
    inhibitServiceDown: false,
  },
  surroundings: {
    dependsOn: async () => [],
    inMaintenance: async () => false,
    context: async () => undefined,
    outageAt: async () => undefined,
  },
  adminUrl: 'http://admin.localhost:8300',
  runUrl: id => id,
  deliveryTiming: { firstMs: 50, longestMs: 50, lastingMs: 50, toleratedTries: 100 },
})
const channels = await store.read(inner => alerts.channels.list(inner, { limit: 1, after: undefined }))
if (channels.items.length === 0) {
  const { token, chat: chat_id, apiUrl: api_url } = order
  const settings = {
    kind: 'telegram' as const,
    token,
    chat_id,
    api_url,
    thread_id: null,
    users: [],
    actions: false,
  }
  const routes = { groups: [], projects: [], severities: [] }
  await store.write(transaction =>
    alerts.channels.create(transaction, bySystem, {
      name: 'chat',
      routes,
      settings: { ...settings, updates: 'none' },
    }),
  )
}
const labels = { alertname: 'ServiceDown', job: 'hello', severity: 'critical' }
await store.write(transaction =>
  alerts.take(transaction, { name: 'test', leaseMs: null }, [
    {
      labels,
      annotations: { summary: 'hello is down' },
      ...(order.over && { endsAt: new Date().toISOString() }),
    },
  ]),
)
const ended = new AbortController()
const running = alerts.run(ended.signal)
while (await isBusy()) await new Promise(resolve => setTimeout(resolve, 10))
process.stdout.write('settled\n')
ended.abort()
await running
await store.close()

/** Something is still to be told, or nothing was yet. */
function isBusy(): Promise<boolean> {
  return store.read(async transaction => {
    const now = new Date().toISOString()
    const problem = await transaction.selectFrom('problem').selectAll().executeTakeFirst()
    const delivery = await transaction.selectFrom('delivery').selectAll().executeTakeFirst()
    const isWanted =
      problem?.state === (order.over ? 'resolved' : 'open') &&
      (problem.due_at === null || problem.due_at > now)
    return !isWanted || !delivery || delivery.due_at !== null
  })
}
