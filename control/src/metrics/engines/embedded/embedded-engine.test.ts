import { join } from 'node:path'
import { serviceDown } from '@quarterdeck/contract'
import { FakeClock, temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { sqliteEngine } from '../../../store/engines/sqlite/index.ts'
import { Store } from '../../../store/index.ts'
import { apiInstance, serviceOf } from '../../../watch/service-under-test.ts'
import { ReloadRefused } from '../../engine.ts'
import { beginMetrics, writeFiles } from '../../under-test.ts'
import { EmbeddedEngine } from './embedded-engine.ts'

const s = 1000

/** A service that tells how it is: it has no metrics, so it is scraped at control. */
const told = (state: 'up' | 'down', id = 'hello') => {
  const reason = state === 'down' ? ({ code: 'timeout', message: 'It does not answer.' } as const) : null
  return serviceOf([{ id, machine: null, kind: 'told', condition: { state, since: 0, reason } }], { id })
}

async function begin(options: { home?: string; clock?: FakeClock; files?: Record<string, string> } = {}) {
  const clock = options.clock ?? new FakeClock()
  const begun = await beginMetrics({
    engine: around => new EmbeddedEngine(around),
    store: home => Store.open(sqliteEngine(join(home, 'database.sqlite'))),
    services: [told('up')],
    ...options,
    clock,
  })
  /** Time passes, second by second. */
  const pass = async (seconds: number) => {
    for (let i = 0; i < seconds; i++) {
      clock.advance(s)
      begun.engine.tick()
      await begun.engine.settled()
    }
  }
  const alerts = async () =>
    (await begun.ask('alerts')).data.alerts.map(
      ({ state, labels }: { state: string; labels: Record<string, string> }) =>
        `${labels.alertname} ${labels.job} ${state}`,
    )
  return { ...begun, clock, pass, alerts }
}

const group = (...rules: object[]) => JSON.stringify({ groups: [{ name: 'own', interval: '1s', rules }] })

test('ServiceDown fires after the two minutes of its rule, is told, and is told to have ended', async () => {
  const { set, pass, alerts, told: messages } = await begin()
  await pass(20)
  expect(await alerts()).toEqual([])
  set([told('down')])
  await pass(30)
  expect(await alerts()).toEqual(['ServiceDown hello pending'])
  await pass(89)
  expect(await alerts()).toEqual(['ServiceDown hello pending'])
  expect(messages).toEqual([])
  await pass(31)
  expect(await alerts()).toEqual(['ServiceDown hello firing'])
  expect(messages).toMatchObject([
    {
      labels: { alertname: 'ServiceDown', job: 'hello', severity: 'critical', instance: '127.0.0.1:8300' },
      annotations: { summary: 'hello is down' },
    },
  ])
  set([told('up')])
  await pass(30)
  expect(await alerts()).toEqual([])
  expect(messages.at(-1)).toMatchObject({ labels: { job: 'hello' }, endsAt: expect.any(String) })
})

test('a restart in the middle of the two minutes loses none of them', async () => {
  const home = temporaryDirectory()
  const clock = new FakeClock()
  const before = await begin({ home, clock })
  before.set([told('down')])
  await before.pass(60)
  const since = (await before.ask('alerts')).data.alerts[0].activeAt
  await before.stop()
  clock.advance(20 * s)
  const after = await begin({ home, clock })
  after.set([told('down')])
  await after.pass(30)
  expect((await after.ask('alerts')).data.alerts).toMatchObject([{ state: 'pending', activeAt: since }])
  await after.pass(40)
  expect((await after.ask('alerts')).data.alerts).toMatchObject([{ state: 'firing', activeAt: since }])
})

test.each([-3600, 3600, -400, 400])(
  'a clock that is set by %i s adds nothing to the two minutes, and takes nothing away',
  async seconds => {
    const { set, pass, alerts, clock, ask, told: messages } = await begin()
    set([told('down')])
    await pass(60)
    expect(await alerts()).toEqual(['ServiceDown hello pending'])
    clock.jump(seconds * s)
    expect((await ask('query', { query: 'up' })).data.result).toHaveLength(1)
    await pass(50)
    expect(await alerts()).toEqual(['ServiceDown hello pending'])
    await pass(30)
    expect(await alerts()).toEqual(['ServiceDown hello firing'])
    clock.jump(-seconds * s)
    await pass(400)
    // Nothing is taken for missing, for resolved, or is silent for longer than it may be.
    expect(await alerts()).toEqual(['ServiceDown hello firing'])
    expect(messages.length).toBeGreaterThanOrEqual(6)
    expect(messages.filter(({ endsAt }) => endsAt !== undefined)).toEqual([])
    set([told('up')])
    await pass(30)
    expect(await alerts()).toEqual([])
  },
)

test('a clock that was set back while control was away does not make an alert wait for it', async () => {
  const home = temporaryDirectory()
  const clock = new FakeClock()
  const before = await begin({ home, clock })
  before.set([told('down')])
  await before.pass(100)
  await before.stop()
  clock.jump(-3600 * s)
  const after = await begin({ home, clock })
  after.set([told('down')])
  await after.pass(60)
  expect(await after.alerts()).toEqual(['ServiceDown hello firing'])
})

test('that an alert has ended is told, though it could not be at once and files or control changed meanwhile', async () => {
  const home = temporaryDirectory()
  const clock = new FakeClock()
  const files = { 'rules/own.yml': group({ alert: 'Own', expr: 'up == 0' }) }
  const before = await begin({ home, clock, files })
  before.set([told('down')])
  await before.pass(20)
  expect(before.told).toMatchObject([{ labels: { alertname: 'Own' } }])
  before.refuse('the store is away')
  before.set([told('up')])
  await before.pass(20)
  expect(await before.alerts()).toEqual([])
  await before.server.reload()
  await before.pass(5)
  expect(before.told).toHaveLength(1)
  await before.stop()
  const after = await begin({ home, clock })
  await after.pass(60)
  expect(after.told.at(-1)).toMatchObject({ labels: { alertname: 'Own' }, endsAt: expect.any(String) })
})

test('of a rule that is gone the end is told again until it is heard', async () => {
  const files = { 'rules/own.yml': group({ alert: 'Own', expr: 'up == 0' }) }
  const { home, set, pass, server, told: messages, refuse, log } = await begin({ files })
  set([told('down')])
  await pass(20)
  refuse('the store is away')
  writeFiles(home, { 'rules/own.yml': 'groups: []' })
  await server.reload()
  await pass(20)
  expect(messages).toHaveLength(1)
  expect(JSON.stringify(log.lines)).toContain('alerts could not be told')
  refuse(undefined)
  await pass(20)
  expect(messages.slice(1)).toMatchObject([{ labels: { alertname: 'Own' }, endsAt: expect.any(String) }])
})

test('what was pending before a restart is held until there were scrapes, whatever is reloaded meanwhile', async () => {
  const home = temporaryDirectory()
  const clock = new FakeClock()
  const before = await begin({ home, clock })
  before.set([told('down')])
  await before.pass(60)
  await before.stop()
  const after = await begin({ home, clock })
  // Nobody looks at it in this test, so it is never scraped.
  after.set([serviceOf([apiInstance(8101)])])
  await after.server.reload()
  await after.pass(20)
  expect(await after.alerts()).toContain('ServiceDown hello pending')
  await after.pass(40)
  expect(await after.alerts()).not.toContain('ServiceDown hello pending')
})

test('a bad file is refused with file and line, and what was loaded goes on', async () => {
  const { home, server, ask } = await begin({
    files: { 'rules/own.yml': group({ ...serviceDown, alert: 'Own' }) },
  })
  const names = async () =>
    (await ask('rules')).data.groups.flatMap(({ rules }: { rules: { name: string }[] }) =>
      rules.map(({ name }) => name),
    )
  expect(await names()).toContain('Own')
  const refusals = {
    'groups:\n  - name: own\n    rules:\n      - alert: Other\n        expr: topk(3, up)\n':
      'own.yml:4, group own, alert Other: topk()',
    'groups:\n  - name: own\n    rules:\n      - alert: Other\n        expr: up\n        for: soon\n':
      'own.yml:6: groups.0.rules.0.for: a duration',
    'groups:\n  - name: own\n    query_offset: 3s\n    rules: []\n':
      'own.yml:2: groups.0: query_offset is not known to the embedded metrics engine',
    'groups:\n  - name: own\n   rules: []\n': 'own.yml:3: not valid YAML',
    'groups: [{name: a, rules: []}, {name: a, rules: []}]': 'own.yml:1: groups: every group has its own name',
  }
  for (const [text, reason] of Object.entries(refusals)) {
    writeFiles(home, { 'rules/own.yml': text })
    const refused = await server.reload().catch((error: Error) => error)
    expect(refused).toBeInstanceOf(ReloadRefused)
    expect(String(refused)).toContain(join(home, 'rules', reason))
    expect(await names()).toContain('Own')
  }
  writeFiles(home, { 'rules/own.yml': group({ ...serviceDown, alert: 'Mended' }) })
  await server.reload()
  expect(await names()).toContain('Mended')
  expect(await names()).toContain('ServiceDown')
})

test('rules that somebody is still writing keep no new service from being scraped, and are not read unasked', async () => {
  const { home, set, pass, ask, alerts, log } = await begin({
    files: { 'rules/own.yml': group({ ...serviceDown, alert: 'Own', for: '1s' }) },
  })
  writeFiles(home, { 'rules/own.yml': 'groups: [{name: own, rul' })
  set([told('up'), told('down', 'shop')])
  const pools = async () =>
    (await ask('targets')).data.activeTargets.map(({ scrapePool }: { scrapePool: string }) => scrapePool)
  await until('it is a target', async () => (await pools()).includes('shop'))
  await pass(20)
  expect(await alerts()).toEqual(expect.arrayContaining(['ServiceDown shop pending', 'Own shop firing']))
  expect(JSON.stringify(log.lines)).not.toContain('own.yml')
})

test('two jobs with one name are refused, whoever has it; what was scraped goes on', async () => {
  const { home, server, ask } = await begin({
    files: {
      'scrape/a.yml': 'scrape_configs: [{job_name: db, static_configs: [{targets: ["127.0.0.1:1"]}]}]',
    },
  })
  const jobs = async () =>
    (await ask('targets')).data.activeTargets.map(({ scrapePool }: { scrapePool: string }) => scrapePool)
  expect(await jobs()).toEqual(['db', 'hello'])
  writeFiles(home, {
    'scrape/b.yml': 'scrape_configs:\n  - job_name: more\n  - job_name: db\n  - job_name: hello\n',
  })
  const refused = String(await server.reload().catch((error: Error) => error))
  expect(refused).toContain(`scrape/b.yml:3: there are two jobs "db" (${join(home, 'scrape/a.yml')}:1)`)
  expect(refused).toContain('scrape/b.yml:4: there are two jobs "hello" (a service has that name)')
  writeFiles(home, { 'scrape/b.yml': 'scrape_configs:\n  - job_name: more\n    relabel_configs: []\n' })
  expect(String(await server.reload().catch((error: Error) => error))).toContain(
    'b.yml:2: scrape_configs.0: relabel_configs is not known',
  )
  expect(await jobs()).toEqual(['db', 'hello'])
})

test('files that are bad at the start are said, and the shipped rules work without them', async () => {
  const { log, ask } = await begin({ files: { 'rules/own.yml': 'groups: 3', 'scrape/a.yml': 'nonsense: [' } })
  expect((await ask('rules')).data.groups.map(({ name }: { name: string }) => name)).toContain('quarterdeck')
  expect((await ask('targets')).data.activeTargets).toHaveLength(1)
  expect(JSON.stringify(log.lines)).toContain('rules/own.yml:1')
  expect(JSON.stringify(log.lines)).toContain('scrape/a.yml:1')
})

test('a reload in the middle of an evaluation leaves alerts and their clocks as they were', async () => {
  const many = Array.from({ length: 100 }, (_, nth) => ({ record: `sum:${nth}`, expr: 'sum(up) + sum(up)' }))
  const { set, pass, clock, engine, server, ask } = await begin({
    files: { 'rules/many.yml': group(...many).replace('1s', '15s') },
  })
  set([told('down')])
  await pass(60)
  const { activeAt } = (await ask('alerts')).data.alerts[0]
  clock.advance(15 * s)
  engine.tick()
  await server.reload()
  await engine.settled()
  await pass(20)
  expect((await ask('alerts')).data.alerts).toMatchObject([{ activeAt, state: 'pending' }])
  expect((await ask('query', { query: '{__name__=~"sum:1?7"}' })).data.result.length).toBeGreaterThan(0)
})

test('a storm of reloads is two, and all who asked are answered', async () => {
  const { server, engine } = await begin()
  let count = 0
  const reload = engine.reload.bind(engine)
  engine.reload = () => {
    count++
    return reload()
  }
  await Promise.all(Array.from({ length: 500 }, () => server.reload()))
  expect(count).toBe(2)
})

test('a firing alert whose rule is gone has ended', async () => {
  const {
    home,
    set,
    pass,
    server,
    told: messages,
  } = await begin({
    files: { 'rules/own.yml': group({ alert: 'Gone', expr: 'up == 0' }) },
  })
  set([told('down')])
  await pass(20)
  expect(messages).toMatchObject([{ labels: { alertname: 'Gone' } }])
  writeFiles(home, { 'rules/own.yml': 'groups: []' })
  await server.reload()
  expect(messages.at(-1)).toMatchObject({ labels: { alertname: 'Gone' }, endsAt: expect.any(String) })
})

test('queries are answered and refused as Prometheus does', async () => {
  const { pass, ask } = await begin()
  await pass(1)
  expect((await ask('query', { query: 'up' })).data).toEqual({
    resultType: 'vector',
    result: [
      {
        metric: { __name__: 'up', group: 'production', instance: '127.0.0.1:8300', job: 'hello' },
        value: [expect.any(Number), '1'],
      },
    ],
  })
  expect((await ask('query', { query: 'up[1m]' })).data).toMatchObject({
    resultType: 'matrix',
    result: [{ values: [[expect.any(Number), '1']] }],
  })
  expect((await ask('query', { query: '1e-7 * 3' })).data).toMatchObject({
    resultType: 'scalar',
    result: [expect.any(Number), '3e-07'],
  })
  expect(await ask('query', { query: 'requests_total' })).toMatchObject({
    data: { result: [] },
    warnings: [expect.stringContaining('is not kept')],
  })
  expect(await ask('query', { query: 'foo(' })).toMatchObject({ status: 'error', errorType: 'bad_data' })
  expect(await ask('query', { query: 'up', time: 'abc' })).toMatchObject({
    errorType: 'bad_data',
    error: expect.stringContaining('"time"'),
  })
  expect(
    await ask('query', { query: 'up{job="hello"} * on() {__name__=~"up|scrape_duration_seconds"}' }),
  ).toMatchObject({ errorType: 'execution' })
  expect(await ask('rules', { type: 'x' })).toMatchObject({
    error: 'invalid parameter "type": not supported value "x"',
  })
  expect((await ask('targets', { state: 'dropped' })).data).toEqual({ activeTargets: [], droppedTargets: [] })
})
