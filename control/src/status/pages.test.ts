import { expect, test } from 'vitest'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { badge } from './badge.ts'
import { atomFeed } from './feed.ts'
import { script } from './page/script.ts'
import { words } from './page/words.ts'
import { pagesUnderTest, textOf } from './under-test.ts'

const hostile = `<img src=x onerror=alert(1)> "quoted" 'it' &amp; \u202e`

test('names and texts of others are text, in pages, feeds and badges', async () => {
  const { watch, set, pages, notices, options, read } = await pagesUnderTest(sqliteEngine)
  watch.set([set('up', 'hello', 'production', hostile)])
  notices.set({
    incidents: [
      {
        ...{ id: '019cadd2-8160-7f0a-b2d4-8c6e1f3a5b79', name: hostile, status: 'investigating' },
        ...{ impact: 'minor', started_at: '2026-03-01T00:00:00Z', ends_at: null, service_ids: ['hello'] },
        updates: [
          {
            ...{ id: '019cadd2-8160-7f0a-b2d4-8c6e1f3a5b80', status: 'investigating' },
            ...{ body: hostile, created_at: '2026-03-01T00:00:00Z' },
          },
        ],
      },
    ],
    maintenances: [],
  })
  const entry = options.entries.get(watch.service('hello')!).service
  const feed = atomFeed(options.page, notices.allIncidents, '2026-03-01T00:00:00Z')
  for (const text of [textOf(pages.front()), textOf(pages.history()!), feed, badge(entry, 'status')]) {
    expect(text).not.toContain('<img')
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt; &quot;quoted&quot;')
  }
  expect(read().status).toEqual({ indicator: 'minor', description: hostile })
})

test('the page is whole without its script, which is the only one, and its own', async () => {
  const { watch, set, pages } = await pagesUnderTest(sqliteEngine)
  watch.set([set('up'), set('down', 'shop', 'web', 'Shop'), set('unknown', 'new', 'web', 'New')])
  const text = textOf(pages.front())
  expect([...text.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual([
    `<script type="module" src="${script.path}">`,
  ])
  expect(text).not.toMatch(/\son\w+=|javascript:|style="|<link[^>]+href="http/)
  for (const [id, status, word] of [
    ['hello', 'operational', 'Operational'],
    ['shop', 'outage', 'Down'],
    ['new', 'unknown', 'Unknown'],
  ])
    expect(text).toMatch(
      new RegExp(`id="${id}" data-status="${status}"[^]*?href="#${status}"[^]*?<b>${word}</b>`),
    )
  expect(text).toContain('It does not answer.')
  // Nobody has told a version: there is nothing to say of it.
  expect(text).not.toMatch(/version|<span><\/span>/i)
  expect(text).toContain('not observed in 90 days')
})

test('days are those of the time zone, with 23 hours when clocks go forward', async () => {
  const { watch, set, rows, pass, history90 } = await pagesUnderTest(
    sqliteEngine,
    'Europe/Berlin',
    '2026-03-28T22:30:00Z',
  )
  watch.set([set('up')])
  pass(27 * 3600)
  watch.set([set('down')])
  pass(600)
  const days = history90().history.slice(-3)
  expect(days.map(({ date, up_s }) => [date, up_s])).toEqual([
    ['2026-03-28', 1800],
    ['2026-03-29', 23 * 3600],
    ['2026-03-30', 3.5 * 3600],
  ])
  const row = rows.get(watch.service('hello')!).text
  expect(row).toContain('<th scope="row">29 Mar 2026</th><td>Operational</td><td></td>')
  expect(row).toContain('<td>Down</td><td>down 10 min</td>')
})

test('while the store is away, the last is shown, and marked', async () => {
  const { watch, set, pages, json, presence, options, store } = await pagesUnderTest(sqliteEngine)
  watch.set([set('up')])
  expect(textOf(pages.front())).not.toContain('role="alert"')
  presence.isThere = false
  options.editions.change()
  expect(textOf(pages.front())).toContain('The database cannot be reached')
  expect(json.get()!.headers.more).toMatchObject({ 'x-quarterdeck-stale': 'store' })
  await store.close()
  const page = await new Promise<string>(resolve => {
    const response = { writeHead: () => undefined, end: (bytes: Buffer) => resolve(`${bytes}`) }
    pages.service('hello')!.serve({ headers: {}, method: 'GET' } as never, response as never)
  })
  expect(page).toContain('The latencies cannot be read at the moment.')
})

test('the history has a page for each month that is kept, and no other', async () => {
  const { pages } = await pagesUnderTest(sqliteEngine)
  expect(textOf(pages.history()!)).toContain('History: March 2026')
  expect(textOf(pages.history('2026-02')!)).toContain('href="/history/2026-03"')
  for (const month of ['2026-04', '2024-01', '2026-13', 'x']) expect(pages.history(month)).toBeUndefined()
})

test('months are those of the time zone, as days are', async () => {
  const { pages, notices } = await pagesUnderTest(sqliteEngine, 'America/New_York')
  // There it is still February.
  expect(textOf(pages.history()!)).toContain('History: February 2026')
  const incident = (id: string, started_at: string) => ({
    ...{ id, name: `Incident ${id}`, status: 'resolved', impact: 'minor', started_at, ends_at: started_at },
    ...{ service_ids: [], updates: [] },
  })
  notices.set({
    incidents: [
      incident('early', '2026-02-01T04:59:59.000Z'),
      incident('late', '2026-02-01T05:00:00.000Z'),
    ] as never,
    maintenances: [],
  })
  expect(textOf(pages.history('2026-01')!)).toMatch(/Incident early/)
  expect(textOf(pages.history('2026-02')!)).toMatch(/Incident late/)
  expect(textOf(pages.history('2026-02')!)).not.toMatch(/Incident early/)
})

test('what was observed of a long time for a short one is a time, and not nothing', () => {
  expect(words.uptime(1, 0.000041)).toBe('100 % up in 90 days, 5 min of them observed')
  expect(words.uptime(0.99994, 0.5)).toBe('99.99 % up in 90 days, 50 % of them observed')
  expect([words.observedPart(0, '24h'), words.observedPart(0.003761, '24h')]).toEqual(['0 %', '5 min'])
})

test('a maintenance that is over has its page still; one that is far off, or never was, has none', async () => {
  const { pages, notices, clock } = await pagesUnderTest(sqliteEngine)
  const row = (id: string, starts_at: string, ends_at: string, cancelled_at: string | null = null) => ({
    row: {
      ...{ id, name: `Disks ${id}`, impact: 'maintenance', service_ids: '[]', starts_at, ends_at },
      ...{ repeat: null, repeat_until: null, cancelled_at, created_at: starts_at, updated_at: starts_at },
    },
    updates: [],
  })
  const [from, to] = ['2026-03-01T01:00:00.000Z', '2026-03-01T02:00:00.000Z']
  notices.set({
    incidents: [],
    maintenances: [
      row('over', from, to),
      row('far', '2026-06-01T00:00:00.000Z', '2026-06-01T01:00:00.000Z'),
      row('never', from, to, '2026-03-01T00:00:00.000Z'),
    ],
  })
  clock.advance(3 * 3_600_000)
  expect(textOf(pages.history()!)).toContain('href="/incidents/over"')
  expect(textOf(pages.notice('over')!)).toContain('Completed')
  for (const id of ['far', 'never', 'none']) expect(pages.notice(id)).toBeUndefined()
})
