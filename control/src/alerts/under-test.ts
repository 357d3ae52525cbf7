/** Alerts for tests: a real store, real sockets, and a clock in the hand of the test. */
import type { ChannelRoutes, ChannelSettings } from '@quarterdeck/contract'
import { FakeClock, memoryLog, temporaryDirectory, until } from '@quarterdeck/testing'
import { onTestFinished } from 'vitest'
import { Events } from '#events'
import { bySystem, type Origin } from '#http'
import { SecretBox } from '#secrets'
import { type Engine, Store } from '#store'
import { outageAt } from '#watch'
import { Alerts } from './alerts.ts'
import { type ServiceUnderTest, startService } from './channels/service-under-test.ts'
import { TelegramUnderTest } from './channels/telegram-under-test.ts'
import type { ChatDeploys } from './chat/deploys.ts'
import { ChatListener } from './chat/listener.ts'
import { usualTiming } from './problem-state.ts'
import type { AlertSettings, ServiceContext, Surroundings } from './settings.ts'
import type { Reported, Source } from './take.ts'

export const settings: AlertSettings = {
  timing: usualTiming,
  groupBy: ['job', 'alertname'],
  leaseMs: 300_000,
  inhibitServiceDown: false,
}

export const byAna: Origin = { by: 'operator:ana', from: null, requestId: null }

/** Reports of one source, which tells each end for certain. */
export const certain: Source = { name: 'test', leaseMs: null }
export const leased: Source = { name: 'prometheus', leaseMs: 300_000 }

export const down = (
  job = 'hello',
  more: Partial<Reported> & { labels?: Record<string, string> } = {},
): Reported => ({
  ...more,
  labels: { alertname: 'ServiceDown', job, instance: `${job}:8101`, severity: 'critical', ...more.labels },
  annotations: { summary: `${job} is down`, ...more.annotations },
})

export interface World {
  parents: Record<string, string[]>
  maintained: Set<string>
  contexts: Record<string, ServiceContext>
}

export interface UnderTestOptions {
  engine: Engine
  settings?: Partial<AlertSettings>
  deploys?: Partial<ChatDeploys>
  clock?: FakeClock
  home?: string
  /** Not started: the test looks and sends by itself. */
  still?: boolean
}

export async function alertsUnderTest(options: UnderTestOptions) {
  const clock = options.clock ?? new FakeClock('2026-03-02T09:00:00Z')
  const log = memoryLog()
  const store = await Store.open(options.engine, { clock })
  const events = new Events(store, clock)
  const secrets = new SecretBox(options.home ?? temporaryDirectory())
  const world: World = { parents: {}, maintained: new Set(), contexts: {} }
  const surroundings: Surroundings = {
    dependsOn: async (_transaction, service) => world.parents[service] ?? [],
    inMaintenance: async (_transaction, service) => world.maintained.has(service),
    context: async (_transaction, service) => world.contexts[service],
    outageAt,
  }
  const alerts = new Alerts({
    ...{ store, events, clock, log: log.log, secrets, surroundings },
    settings: { ...settings, ...options.settings },
    adminUrl: 'http://admin.localhost:8300',
    runUrl: id => `http://admin.localhost:8300/runs/${id}`,
    deliveryTiming: { firstMs: 1000, longestMs: 300_000, lastingMs: 60_000, toleratedTries: 3 },
  })
  const nothing = async () => {
    throw new Error('nothing is deployed here')
  }
  const chats = new ChatListener({
    ...{ store, events, clock, log: log.log, alerts },
    services: () => ['hello is down', 'hello: Nothing takes the connection.'],
    deploys: { rollback: nothing, rerun: nothing, last: async () => [], ...options.deploys },
    webhookUrl: id => `https://admin.example.com/api/channels/${id}/updates`,
    webhookSecret: id => `secret-${id}`,
    pollS: 1,
  })
  const ended = new AbortController()
  const running = options.still ? [] : [alerts.run(ended.signal), chats.run(ended.signal)]
  const stop = async () => {
    ended.abort()
    await Promise.all(running)
  }
  onTestFinished(async () => {
    await stop()
    await store.close()
  })

  return {
    clock,
    log,
    store,
    events,
    alerts,
    chats,
    world,
    stop,
    report: (...reported: Reported[]) =>
      store.write(transaction => alerts.take(transaction, certain, reported)),
    reportAs: (source: Source, ...reported: Reported[]) =>
      store.write(transaction => alerts.take(transaction, source, reported)),
    over: (...reported: Reported[]) =>
      store.write(transaction =>
        alerts.take(
          transaction,
          certain,
          reported.map(one => ({ ...one, endsAt: clock.now().toISOString() })),
        ),
      ),
    advance(ms: number) {
      clock.advance(ms)
      alerts.wake()
    },
    async channel(name: string, channelSettings: ChannelSettings, routes: Partial<ChannelRoutes> = {}) {
      const whole = { groups: [], projects: [], severities: [], ...routes }
      const wanted = { name, routes: whole, settings: channelSettings }
      return store.write(transaction => alerts.channels.create(transaction, bySystem, wanted))
    },
    open: () => store.read(transaction => alerts.list(transaction, 'open', { limit: 200, after: undefined })),
    /** When nothing is due any more at this time of the clock. */
    settled: () =>
      until('everything that is due is done', async () => {
        const now = clock.now().toISOString()
        return store.read(async transaction => {
          const problem = await transaction
            .selectFrom('problem')
            .select('id')
            .where('due_at', '<=', now)
            .executeTakeFirst()
          const waiting = await transaction
            .selectFrom('delivery')
            .innerJoin('channel', 'channel.id', 'delivery.channel_id')
            .select('channel.paused_until')
            .where('due_at', '<=', now)
            .where(({ or, eb }) => or([eb('paused_until', 'is', null), eb('paused_until', '<=', now)]))
            .executeTakeFirst()
          const leased = await transaction
            .selectFrom('channel')
            .select('id')
            .where('leased_until', 'is not', null)
            .executeTakeFirst()
          const silent = await transaction
            .selectFrom('alert')
            .select('id')
            .where('state', '=', 'firing')
            .where('lease_until', '<=', now)
            .executeTakeFirst()
          return !problem && !waiting && !leased && !silent
        })
      }),
  }
}

export type AlertsUnderTest = Awaited<ReturnType<typeof alertsUnderTest>>

export async function telegramUnderTest(): Promise<TelegramUnderTest> {
  const telegram = await new TelegramUnderTest().start()
  onTestFinished(() => telegram.stop())
  return telegram
}

export async function serviceUnderTest(): Promise<ServiceUnderTest> {
  const service = await startService()
  onTestFinished(() => service.stop())
  return service
}

export const telegramSettings = (
  telegram: TelegramUnderTest,
  more: Partial<Extract<ChannelSettings, { kind: 'telegram' }>> = {},
) => ({
  kind: 'telegram' as const,
  token: telegram.token,
  chat_id: telegram.chat,
  thread_id: null,
  users: ['42'],
  actions: false,
  updates: 'poll' as const,
  api_url: telegram.url,
  ...more,
})

/** With one channel that hears everything. */
export async function watched(engine: Engine, options: Partial<UnderTestOptions> = {}) {
  const it = await alertsUnderTest({ engine, ...options })
  const telegram = await telegramUnderTest()
  const channel = await it.channel('on-call', telegramSettings(telegram, { updates: 'none' }))
  const texts = () => telegram.messages.map(({ text }) => text.split('\n', 1)[0])
  return { ...it, telegram, onCall: channel, texts }
}
