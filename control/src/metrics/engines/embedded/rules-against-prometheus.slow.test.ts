/** What rules do at each evaluation, told to Prometheus’ own rule tests, which say whether Prometheus would do the same. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RuleFile } from '@quarterdeck/contract'
import { systemClock } from '@quarterdeck/kit'
import { Prometheus, temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { shippedRules } from '../../shipped-rules.ts'
import { labelsOf } from './labels.ts'
import { needsOf } from './needs.ts'
import { parseExpression } from './promql/parse.ts'
import { shown } from './promql/vector.ts'
import { Rules } from './rules.ts'
import { SeriesStore } from './series.ts'

const stepMs = 15_000
const missing = Prometheus.missing()

/** Samples at every step: a number, `_` for none, `stale` for the end of the series. */
type Script = Readonly<Record<string, string>>

const scenario: Script = {
  'up{job="a",instance="1"}': `1 1 ${'0 '.repeat(12)} 1 1 ${'0 '.repeat(20)}`,
  'up{job="a",instance="2"}': `0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 stale 1 1 1 1 1`,
  'up{job="b<b>",instance="3"}': `1 ${'0 '.repeat(9)} ${'_ '.repeat(24)} 1`,
  'load{job="a"}': `0 5 0.125 12345.678 1000000 123456789 0.000012 0 9 9 9 NaN 9 +Inf 3 0 0 0 9 0 0 0 0 9 9`,
  'machine_disk_free_bytes{job="agent",machine="web-1",mount="/"}': Array.from(
    { length: 38 },
    (_, i) => 400 - 10 * i,
  ).join(' '),
  'machine_disk_size_bytes{job="agent",machine="web-1",mount="/"}': '1000 '.repeat(38),
  'service_drift{job="metrics",service="a"}': '0 1 '.repeat(2) + '1 '.repeat(34),
  'service_certificate_ends_seconds{job="metrics",service="a"}': '1000000 '.repeat(38),
  'ends{job="a"}': `${'1700000000.5 '.repeat(20)}`,
}

const rules: RuleFile = {
  groups: [
    ...shippedRules(['a', 'gone']).groups.map(({ name, rules: shipped }) => ({ name, rules: shipped })),
    {
      name: 'own',
      rules: [
        { record: 'job:up:sum', expr: 'sum by (job) (up)', labels: { kind: 'sum' } },
        { alert: 'AllDown', expr: 'job:up:sum == 0', for: '30s', keep_firing_for: '1m' },
        {
          alert: 'Load',
          expr: 'load > 1e-6',
          keep_firing_for: '45s',
          labels: { level: '{{ $labels.job | toUpper }}', job: '' },
          annotations: {
            plain: '{{ $value }} {{.Value}} of {{ $labels.job }} {{ $labels.missing }}.',
            people: '{{ $value | humanize }} {{ humanize1024 $value }} {{ $value | humanizeDuration }}',
            share: '{{ $value | humanizePercentage }} a {{- /* nothing */ -}} b {{ "x" }}{{ `y` }}',
            printed:
              '{{ printf "%.2f|%.3e|%.4g|%f|%e|%g|%v|%%" $value $value $value $value $value $value $value }}',
            piped: '{{ $value | printf "%s %.1f" $labels.job }}',
          },
        },
        { alert: 'Ends', expr: 'ends', annotations: { at: '{{ $value | humanizeTimestamp }}' } },
        { alert: 'Also', expr: 'ALERTS{alertname="AllDown",alertstate="firing"} and on() ALERTS_FOR_STATE' },
        { alert: 'Number', expr: 'time() > bool 60' },
      ],
    },
  ],
}

test('alerts begin, fire and end as with Prometheus, and say the same', async context => {
  if (missing) context.skip(missing)
  const steps = 38
  const watched = ['ALERTS', 'ALERTS_FOR_STATE', 'job:up:sum']
  const loaded = new Rules({ 'rules.yml': rules }, stepMs)
  const store = new SeriesStore([...loaded.needs, ...needsOf(watched.map(parseExpression))])
  const alerts: ReturnType<typeof firing> = []
  const series: ReturnType<typeof values>[] = []
  for (let step = 0; step < steps; step++) {
    feed(store, step)
    for (const group of loaded.groups) await loaded.evaluate(group, store, step * stepMs, systemClock)
    const errors = loaded.groups.flatMap(group => group.rules.map(({ lastError }) => lastError))
    expect(errors.filter(error => error !== null)).toEqual([])
    alerts.push(...firing(loaded, step))
    series.push(...watched.map(name => values(store, name, step)))
  }
  expect(alerts.filter(({ exp_alerts }) => exp_alerts.length > 0).length).toBeGreaterThan(60)
  expect(
    promtool({
      rule_files: ['rules.yml'],
      evaluation_interval: '15s',
      tests: [
        {
          interval: '15s',
          input_series: Object.entries(scenario).map(([name, text]) => ({
            series: name,
            values: text.trim(),
          })),
          alert_rule_test: alerts,
          promql_expr_test: series,
        },
      ],
    }),
  ).toContain('SUCCESS')
})

function promtool(tests: object): string {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'rules.yml'), stringify(rules))
  writeFileSync(join(directory, 'tests.yml'), stringify(tests))
  try {
    return execFileSync('promtool', ['test', 'rules', 'tests.yml'], {
      cwd: directory,
      encoding: 'utf8',
      stdio: 'pipe',
      maxBuffer: 1e8,
    })
  } catch (error) {
    return String((error as { stdout: string }).stdout) + String((error as { stderr: string }).stderr)
  }
}

function feed(store: SeriesStore, step: number): void {
  for (const [series, text] of Object.entries(scenario)) {
    const value = text.trim().split(/\s+/)[step]
    if (value === undefined || value === '_') continue
    const [, name, inside] = series.match(/^(\w+)\{(.*)\}$/)!
    const pairs = [...inside!.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, is]) => [label!, is!])
    const labels = labelsOf({ __name__: name!, ...Object.fromEntries(pairs) })
    const batch = value === 'stale' ? [] : [{ labels, value: Number(value.replace('Inf', 'Infinity')) }]
    store.append(series, step * stepMs, batch)
  }
}

function firing(loaded: Rules, step: number) {
  const names = rules.groups.flatMap(group =>
    group.rules.flatMap(rule => ('alert' in rule ? [rule.alert] : [])),
  )
  return names.map(alertname => ({
    eval_time: `${step * 15}s`,
    alertname,
    exp_alerts: loaded.alerts
      .filter(({ labels, state }) => state === 'firing' && labels.get('alertname') === alertname)
      .map(({ labels, annotations }) => ({
        exp_labels: labels.without(['alertname']).record(),
        exp_annotations: annotations,
      })),
  }))
}

function values(store: SeriesStore, name: string, step: number) {
  const found = store.select(parseExpression(name) as never)
  return {
    expr: name,
    eval_time: `${step * 15}s`,
    exp_samples: found.flatMap(({ labels, samples }) => {
      const value = samples.valueAt(step * stepMs, 300_000)
      return value === undefined ? [] : [{ labels: name + shown(labels.withoutName()), value }]
    }),
  }
}
