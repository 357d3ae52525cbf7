import { request } from 'node:http'
import { join } from 'node:path'
import type { EventType } from '@quarterdeck/contract'
import { systemClock } from '@quarterdeck/kit'
import { FakeClock, memoryLog, Postgres, temporaryDirectory, until } from '@quarterdeck/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { bySystem } from '#http'
import { type Engine, Store } from '#store'
import { postgresEngine } from '../store/engines/postgres/index.ts'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { type ControlUnderTest, controlUnderTest } from '../under-test.ts'
import { Events, eventsAfter } from './events.ts'
import { type EventReader, forgetReader, runReader } from './reader.ts'

let postgres: Postgres | undefined
beforeAll(async () => {
  if (!Postgres.missing()) postgres = await Postgres.start()
}, 60_000)
afterAll(() => postgres?.remove())

const databases: [string, string | undefined, () => Promise<() => Engine>][] = [
  [
    'SQLite',
    undefined,
    async () => {
      const file = join(temporaryDirectory(), 'database')
      return () => sqliteEngine(file)
    },
  ],
  [
    'PostgreSQL',
    Postgres.missing(),
    async () => {
      const url = await postgres!.database()
      return () => postgresEngine(url)
    },
  ],
]

describe.each(databases)('events on %s', (_name, missing, database) => {
  beforeEach(context => {
    if (missing) context.skip(missing)
  })

  async function openEvents(engine: () => Engine) {
    const store = await Store.open(engine())
    onTestFinished(() => store.close())
    const events = new Events(store, systemClock)
    const append = (subject: string, type: EventType = 'token.created') =>
      store.write(transaction => events.append(transaction, bySystem, { type, subject }))
    return { store, events, append }
  }

  /** Runs until the test ends, and collects what it was given. */
  function collect(
    { store, events }: { store: Store; events: Events },
    change: Partial<EventReader> = {},
    stepMs?: number,
  ) {
    const ended = new AbortController()
    const seen: string[] = []
    const reader: EventReader = {
      name: 'collector',
      types: ['token.created'],
      async handle(transaction, after) {
        for (const { subject } of await eventsAfter(transaction, after)) seen.push(subject)
      },
      ...change,
    }
    const done = runReader(reader, { store, events, log: memoryLog().log, ended: ended.signal }, stepMs)
    const stop = async () => {
      ended.abort()
      await done
    }
    onTestFinished(stop)
    return { seen, stop }
  }

  test('a fact is there exactly when what it tells of is', async () => {
    const { store, events } = await openEvents(await database())
    const failed = store.write(async transaction => {
      await events.append(transaction, bySystem, { type: 'token.created', subject: 'token/never' })
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(await events.after(0)).toEqual([])
  })

  test('positions count on without a gap, however many write, in one process or two', async () => {
    const engine = await database()
    const [one, two] = await Promise.all([openEvents(engine), openEvents(engine)])
    for (let round = 0; round < 5; round++) {
      await Promise.all([one.append('a'), two.append('b'), one.append('c'), two.append('d')])
    }
    const positions = (await one.events.after(0)).map(event => event.position)
    expect(positions).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
  })

  test('a reader gets every event in order, those from before it began too', async () => {
    const opened = await openEvents(await database())
    for (const subject of ['1', '2', '3']) await opened.append(subject)
    const { seen } = collect(opened)
    await until('the old ones', () => seen.length === 3)
    for (const subject of ['4', '5']) await opened.append(subject)
    await until('the new ones', () => seen.length === 5)
    expect(seen).toEqual(['1', '2', '3', '4', '5'])
  })

  test('a reader goes on where it was, in another process too', async () => {
    const engine = await database()
    const opened = await openEvents(engine)
    await opened.append('before')
    const first = collect(opened)
    await until('the first', () => first.seen.length === 1)
    await first.stop()
    await opened.append('meanwhile')
    const second = collect(await openEvents(engine))
    await until('the second', () => second.seen.length === 1)
    expect(second.seen).toEqual(['meanwhile'])
  })

  test('a reader that fails is given the same event again, and what it had written is undone', async () => {
    const opened = await openEvents(await database())
    let failures = 2
    const { seen } = collect(opened, {
      async handle(transaction, after) {
        await transaction
          .insertInto('event_reader')
          .values({ name: `trace-${after}`, position: 1 })
          .execute()
        if (failures-- > 0) throw new Error('not yet')
        for (const { subject } of await eventsAfter(transaction, after)) seen.push(subject)
      },
    })
    await opened.append('once')
    await until('it went through', () => seen.length === 1)
    expect(seen).toEqual(['once'])
  })

  test('a reader is not woken by what does not concern it', async () => {
    const opened = await openEvents(await database())
    if (opened.store.flags.concurrent_writers) return
    const given: [number, number][] = []
    collect(opened, {
      types: ['project.created'],
      handle: async (_transaction, after, upTo) => void given.push([after, upTo]),
    })
    for (const subject of ['1', '2', '3']) await opened.append(subject)
    await opened.append('4', 'project.created')
    await until('what concerns it', () => given.length > 0)
    expect(given).toEqual([[0, 4]])
  })

  test('a reader steps over what does not concern it in time, so that it can be pruned', async () => {
    const opened = await openEvents(await database())
    const stepMs = 10
    collect(opened, { types: ['project.created'], handle: async () => undefined }, stepMs)
    await opened.append('1')
    await until('it has stepped over it', async () => {
      const kept = await opened.store.read(transaction =>
        transaction.selectFrom('event_reader').select('position').executeTakeFirst(),
      )
      return kept?.position === 1
    })
  })

  test('a reader that is no more holds up nothing', async () => {
    const opened = await openEvents(await database())
    await opened.append('1')
    const { seen, stop } = collect(opened)
    await until('it has read', () => seen.length === 1)
    await stop()
    for (const subject of ['2', '3']) await opened.append(subject)
    await forgetReader('collector', opened.store)
    await opened.store.write(transaction => opened.events.prune(transaction, new Date(Date.now() + 1000)))
    expect((await opened.events.after(0)).map(({ subject }) => subject)).toEqual(['3'])
  })

  test('events that another process wrote wake a reader too', async () => {
    const engine = await database()
    const [mine, other] = await Promise.all([openEvents(engine), openEvents(engine)])
    if (!mine.store.flags.concurrent_writers) return
    const { seen } = collect(mine)
    await other.append('from afar')
    await until('it arrived', () => seen.length === 1)
  })

  test('what is old goes, but nothing that a reader has not seen, and never the newest', async () => {
    const engine = await database()
    const store = await Store.open(engine())
    onTestFinished(() => store.close())
    const clock = new FakeClock('2026-01-01T00:00:00Z')
    const events = new Events(store, clock)
    const append = (subject: string) =>
      store.write(transaction => events.append(transaction, bySystem, { type: 'token.created', subject }))
    for (const subject of ['1', '2', '3', '4']) await append(subject)
    await store.write(transaction =>
      transaction.insertInto('event_reader').values({ name: 'slow', position: 2 }).execute(),
    )
    const later = new Date('2026-06-01T00:00:00Z')
    await store.write(transaction => events.prune(transaction, later))
    expect((await events.after(0)).map(event => event.subject)).toEqual(['3', '4'])
    await store.write(transaction => transaction.updateTable('event_reader').set({ position: 4 }).execute())
    await store.write(transaction => events.prune(transaction, later))
    await append('5')
    expect((await events.after(0)).map(event => [event.position, event.subject])).toEqual([
      [4, '4'],
      [5, '5'],
    ])
  })
})

test('who watches is told at once, and then of all that came within a moment together', async () => {
  const store = await Store.open(sqliteEngine(join(temporaryDirectory(), 'database')))
  onTestFinished(() => store.close())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const events = new Events(store, systemClock)
  const append = () =>
    store.write(transaction =>
      events.append(transaction, bySystem, { type: 'token.created', subject: 'token/x' }),
    )
  const told: number[] = []
  let appended = 0
  events.watch(['token.created'], () => told.push(appended))
  for (appended = 1; appended <= 5; appended++) await append()
  expect(told).toEqual([1])
  vi.advanceTimersByTime(50)
  expect(told).toEqual([1, 6])
  vi.advanceTimersByTime(50)
  appended = 7
  await append()
  expect(told).toEqual([1, 6, 7])
})

describe('GET /api/events', () => {
  /** Reads the stream as a browser would. */
  function follow({ port, token }: ControlUnderTest, headers: Record<string, string> = {}) {
    const received: string[] = []
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const call = request(
      {
        port,
        host: '127.0.0.1',
        path: '/api/events',
        headers: {
          host: 'admin',
          'x-forwarded-for': '127.0.0.1',
          authorization: `Bearer ${token}`,
          ...headers,
        },
      },
      response => {
        received.push(`status ${response.statusCode} ${response.headers['content-type']}`)
        response.setEncoding('utf8')
        response.on('data', chunk => received.push(chunk))
        response.on('close', resolve)
      },
    )
    call.on('error', () => resolve())
    call.end()
    onTestFinished(() => void call.destroy())
    const ids = () => [...received.join('').matchAll(/^id: (\d+)$/gm)].map(match => Number(match[1]))
    return { received, ids, ended, close: () => call.destroy() }
  }

  const makeToken = ({ ask, token }: ControlUnderTest, label: string) =>
    ask('admin', '/api/tokens', { method: 'POST', token, body: { label } })

  test('sends what happens from now on, as it happens', async () => {
    const underTest = await controlUnderTest()
    const stream = follow(underTest)
    await until('it began', () => stream.received.join('').includes('retry:'))
    expect(stream.received[0]).toBe('status 200 text/event-stream; charset=utf-8')
    await makeToken(underTest, 'laptop')
    // How control's own hosts are may be told before it.
    const [, data = ''] = await until(
      'it came',
      () => stream.received.join('').match(/^event: token\.created\ndata: (.*)$/m) ?? undefined,
    )
    expect(JSON.parse(data)).toMatchObject({
      type: 'token.created',
      data: { label: 'laptop' },
      from: '203.0.113.9',
      request_id: 'test-request',
    })
  })

  test('resumes after Last-Event-ID, and misses nothing in between', async () => {
    const underTest = await controlUnderTest()
    const first = follow(underTest, { 'last-event-id': '0' })
    await until('the beginning', () => first.ids().length >= 2)
    first.close()
    const last = first.ids().at(-1)!
    await makeToken(underTest, 'meanwhile')
    await makeToken(underTest, 'again')
    const second = follow(underTest, { 'last-event-id': String(last) })
    await until('the rest', () => second.received.join('').includes('"label":"again"'))
    const ids = second.ids()
    expect(ids).toEqual(ids.map((_, i) => last + 1 + i))
    expect(second.received.join('')).toContain('"label":"meanwhile"')
  })

  test('ends at once when control stops', async () => {
    const underTest = await controlUnderTest()
    const stream = follow(underTest)
    await until('it began', () => stream.received.join('').includes('retry:'))
    underTest.control.beginStop()
    await stream.ended
  })

  test('is not for everyone', async () => {
    const underTest = await controlUnderTest()
    const reply = await underTest.ask('admin', '/api/events')
    expect([reply.status, reply.json.code]).toEqual([401, 'unauthenticated'])
  })
})
