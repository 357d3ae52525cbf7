import type { AlertRule, Rule } from '@quarterdeck/contract'
import { serviceDown } from '@quarterdeck/contract'
import { FakeClock } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { labelsOf } from './labels.ts'
import { ruleState } from './rule-state.ts'
import { Rules, RulesRefused } from './rules.ts'
import { SeriesStore } from './series.ts'

const s = 1000

/** Rules on a store of their own, evaluated after each scrape of one target that is down or up. */
function begin(...rules: Rule[]) {
  const loaded = new Rules({ 'rules.yml': { groups: [{ name: 'test', rules }] } }, 15 * s)
  const store = new SeriesStore(loaded.needs)
  const clock = new FakeClock()
  const evaluate = async (atMs: number) => {
    for (const group of loaded.groups) await loaded.evaluate(group, store, atMs, clock)
    return loaded.alerts.map(({ state, activeAtMs }) => `${state} since ${activeAtMs / s}`)
  }
  const look = (atMs: number, up: number | null) => {
    const labels = labelsOf({ __name__: 'up', job: 'hello', instance: 'web-1' })
    store.append('target', atMs, up === null ? [] : [{ labels, value: up }])
    return evaluate(atMs)
  }
  return { loaded, store, evaluate, look, health: () => loaded.groups[0]!.rules.map(rule => rule.lastError) }
}

test('ServiceDown fires when the service has been down for two minutes, and not a moment before', async () => {
  const { look, loaded } = begin(serviceDown)
  expect(await look(0, 1)).toEqual([])
  expect(await look(15 * s, 0)).toEqual(['pending since 15'])
  expect(await look(135 * s - 1, 0)).toEqual(['pending since 15'])
  expect(await look(135 * s, 0)).toEqual(['firing since 15'])
  expect(loaded.alerts[0]).toMatchObject({
    annotations: { summary: 'hello is down' },
    firedAtMs: 135 * s,
    value: 0,
  })
  expect(loaded.alerts[0]!.labels.record()).toEqual({
    alertname: 'ServiceDown',
    instance: 'web-1',
    job: 'hello',
    severity: 'critical',
  })
  expect(await look(150 * s, 1)).toEqual(['resolved since 15'])
  expect(await look(165 * s, 0)).toEqual(['pending since 165'])
})

test('a short recovery begins the two minutes anew', async () => {
  const { look } = begin(serviceDown)
  await look(0, 0)
  expect(await look(60 * s, 1)).toEqual([])
  expect(await look(75 * s, 0)).toEqual(['pending since 75'])
})

test('a restart in the middle loses nothing, though memory is empty after it', async () => {
  const before = begin(serviceDown)
  await before.look(0, 0)
  await before.look(60 * s, 0)
  const state = ruleState.parse(JSON.parse(JSON.stringify(before.loaded.save())))
  const { loaded, look, evaluate } = begin(serviceDown)
  loaded.restore(state, 70 * s, 60 * s)
  expect(await evaluate(75 * s)).toEqual(['pending since 0'])
  expect(await look(90 * s, 0)).toEqual(['pending since 0'])
  expect(await look(120 * s, 0)).toEqual(['firing since 0'])
})

test('after a restart nothing fires before a scrape has shown it, and what is not shown in time has ended', async () => {
  const before = begin(serviceDown)
  await before.look(0, 0)
  const { loaded, evaluate } = begin(serviceDown)
  loaded.restore(before.loaded.save(), 100 * s, 60 * s)
  expect(await evaluate(159 * s)).toEqual(['pending since 0'])
  expect(await evaluate(160 * s)).toEqual([])
})

test('what was firing is so after a restart, however long it took, until scrapes have had time to say otherwise', async () => {
  const before = begin(serviceDown)
  await before.look(0, 0)
  await before.look(120 * s, 0)
  const { loaded, look, evaluate } = begin(serviceDown)
  loaded.restore(before.loaded.save(), 9000 * s, 60 * s)
  expect(await evaluate(9001 * s)).toEqual(['firing since 0'])
  expect(await look(9015 * s, 1)).toEqual(['firing since 0'])
  expect(await look(9060 * s, 1)).toEqual(['resolved since 0'])
})

test('what was pending before a long gap begins anew', async () => {
  const before = begin(serviceDown)
  await before.look(0, 0)
  const { loaded, look } = begin(serviceDown)
  loaded.restore(before.loaded.save(), 301 * s, 60 * s)
  expect(await look(310 * s, 0)).toEqual(['pending since 310'])
})

test('another expression under the same name does not take over', async () => {
  const before = begin(serviceDown)
  await before.look(0, 0)
  const { loaded } = begin({ ...serviceDown, expr: 'up < 1' })
  loaded.restore(before.loaded.save(), 1 * s, 60 * s)
  expect(loaded.alerts).toEqual([])
})

test('keep_firing_for bridges gaps of what fires, and not of what is pending', async () => {
  const { look } = begin({ ...serviceDown, for: '30s', keep_firing_for: '1m' })
  await look(0, 0)
  expect(await look(15 * s, 1)).toEqual([])
  await look(30 * s, 0)
  await look(60 * s, 0)
  expect(await look(75 * s, 1)).toEqual(['firing since 30'])
  expect(await look(134 * s, 1)).toEqual(['firing since 30'])
  expect(await look(135 * s, 1)).toEqual(['resolved since 30'])
})

test('a rule that fails says so by name, keeps its alerts, and holds up no other', async () => {
  const several: AlertRule = { alert: 'Several', expr: 'up == 0 or up / on () up', labels: { instance: 'x' } }
  const { look, store, health, loaded } = begin(several, serviceDown)
  await look(0, 0)
  expect(health()).toEqual([null, null])
  store.append('other', 1 * s, [
    { labels: labelsOf({ __name__: 'up', job: 'hello', instance: 'web-2' }), value: 0 },
  ])
  expect(await look(1 * s, 0)).toHaveLength(4)
  expect(health()).toEqual([expect.stringMatching(/^alert Several: .*both match/), null])
  expect(loaded.groups[0]!.rules.map(rule => rule.health)).toEqual(['err', 'ok'])
})

test('labels of a rule that make two alerts one are said', async () => {
  const { look, store, health } = begin({ alert: 'Down', expr: 'up == 0', labels: { instance: '' } })
  store.append('other', 0, [
    { labels: labelsOf({ __name__: 'up', job: 'hello', instance: 'web-2' }), value: 0 },
  ])
  await look(0, 0)
  expect(health()[0]).toContain('two series give the same alert {alertname="Down", job="hello"}')
})

test('a rule with more results than anybody can read is stopped', async () => {
  const { store, evaluate, health } = begin({ alert: 'All', expr: 'up' })
  const batch = Array.from({ length: 10_001 }, (_, i) => ({
    labels: labelsOf({ __name__: 'up', instance: `${i}` }),
    value: 1,
  }))
  store.append('many', 0, batch)
  expect(await evaluate(0)).toEqual([])
  expect(health()).toEqual(['alert All: it gives 10001 results, and at most 10000 are taken'])
})

test('a recording rule is read by the rules after it, and ends with its results', async () => {
  const { look, store } = begin(
    { record: 'job:up:sum', expr: 'sum by (job) (up)', labels: { kind: 'sum' } },
    { alert: 'NoneUp', expr: 'job:up:sum{kind="sum"} == 0' },
  )
  expect(await look(0, 0)).toEqual(['firing since 0'])
  await look(15 * s, null)
  const [recorded] = store
    .select({ key: 'none', matchers: [] })
    .filter(({ labels }) => labels.get('kind') === 'sum')
  expect(recorded!.samples.newestIsStale).toBe(true)
})

test('rules that were replaced write nothing any more', async () => {
  const { look, loaded, store } = begin(serviceDown, {
    alert: 'Old',
    expr: 'ALERTS{alertname="ServiceDown"}',
  })
  await look(0, 0)
  loaded.end(store, 1 * s)
  await look(2 * s, 0)
  const alerts = store
    .select({ key: 'none', matchers: [] })
    .filter(({ labels }) => labels.get('__name__') === 'ALERTS')
  expect(alerts.map(({ samples }) => [samples.newestMs, samples.newestIsStale])).toEqual([[1 * s, true]])
})

test('a long evaluation lets others have their turn; rules that are replaced meanwhile stop there', async () => {
  const { loaded, store } = begin({ record: 'first', expr: '1' }, { record: 'second', expr: '2' })
  let nowMs = 0
  const slow = { now: () => new Date(0), monotonicMs: () => (nowMs += 10) }
  const evaluation = loaded.evaluate(loaded.groups[0]!, store, 0, slow)
  loaded.end(store, 1)
  await evaluation
  expect(loaded.groups[0]!.rules.map(({ health }) => health)).toEqual(['unknown', 'unknown'])
})

test('everything that is refused is told at once, by file, group and rule', () => {
  const rules: Rule[] = [
    { alert: 'Top', expr: 'topk(1, up)' },
    serviceDown,
    { alert: 'Words', expr: 'up', annotations: { summary: '{{ if $value }}' } },
    { alert: 'Label', expr: 'up', labels: { 'a-b': 'x' } },
    { record: 'x', expr: 'up[5m]' },
    { record: 'y', expr: 'up', labels: { __name__: 'z' } },
  ]
  const load = () => new Rules({ 'own.yml': { groups: [{ name: 'mine', rules }] } }, 15 * s)
  expect(load).toThrow(RulesRefused)
  expect(load).toThrow(
    /^own.yml, group mine, alert Top: topk\(\) is not known.*\n.*alert Words: annotation summary: if in/,
  )
  expect(load).toThrow(
    /alert Label: label a-b: not a name\n.*record x: .*gives a range.*\n.*record y: label __name__/,
  )
})
