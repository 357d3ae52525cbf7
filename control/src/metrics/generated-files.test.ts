import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { scrapeConfig } from '@quarterdeck/contract'
import { Prometheus, temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { apiPaths, type MonitoredService } from '#watch'
import { apiInstance, serviceOf } from '../watch/service-under-test.ts'
import { configFile, shippedRulesFile, writeGenerated } from './generated-files.ts'
import { scrapePlaces } from './scrape-places.ts'
import { shippedRules } from './shipped-rules.ts'

const told = { kind: 'told', machine: null, condition: { state: 'up', since: 0, reason: null } } as const
const host = (id: string, authority: string) =>
  apiInstance(8300, { server: { host: '127.0.0.1', port: 8300, isTls: false, authority } }, id)

const services: MonitoredService[] = [
  serviceOf([apiInstance(8101), apiInstance(8102, {}, 'hello@web-2')]),
  serviceOf([apiInstance(8103, { paths: apiPaths('', null) })], { id: 'bare' }),
  serviceOf([apiInstance(8104, {}, 'silent@web-1')], { id: 'silent' }),
  serviceOf([{ ...told, id: 'worker' }], { id: 'worker' }),
  serviceOf([], { id: 'idle' }),
  serviceOf([{ ...host('admin', 'admin.localhost'), machine: null }], { id: 'admin', kind: 'own' }),
  serviceOf([{ ...host('edge', 'localhost'), machine: null }], { id: 'edge', kind: 'own' }),
  serviceOf(
    [
      apiInstance(
        443,
        {
          ...{ intervalMs: 60_000, timeoutMs: 2500, paths: apiPaths('/v1', '/metrics') },
          server: { host: 'pay.example', port: 443, isTls: true, authority: 'pay.example' },
        },
        'pay',
      ),
    ],
    { id: 'pay', kind: 'watched' },
  ),
  serviceOf(
    [
      apiInstance(
        80,
        { server: { host: 'x.example', port: 80, isTls: false, headers: { authorization: 's3cret' } } },
        'secret',
      ),
    ],
    { id: 'secret', kind: 'watched' },
  ),
]

const control = '127.0.0.1:8300'
const placesOf = (all: readonly MonitoredService[]) =>
  all.flatMap(service => scrapePlaces(service, { control, lacksMetrics: id => id === 'silent@web-1' }))

function write(home = temporaryDirectory()) {
  const places = placesOf(services)
  const jobs = [...new Set(places.map(({ job }) => job))]
  const changed = writeGenerated({
    ...{ home, places, idle: ['idle'], control, intervalMs: 15_000, timeoutMs: 5000 },
    rules: shippedRules(jobs),
    ownJobs: [{ job_name: 'db', static_configs: [{ targets: ['10.0.0.9:9187'] }] } as never],
  })
  return { home, changed }
}

test('each service is a job: at its own address, or at control where it has no metrics to be asked for', () => {
  const { home } = write()
  const text = readFileSync(configFile(home), 'utf8')
  expect(text).toMatch(/^# Made by Quarterdeck/)
  const config = parse(text)
  const atControl = (id: string, group = 'production') => ({
    job_name: id,
    metrics_path: `/services/${id}/metrics`,
    scheme: 'http',
    static_configs: [{ targets: [control], labels: { group } }],
  })
  const labels = { group: 'production' }
  expect(config.scrape_configs).toEqual([
    {
      ...atControl('hello'),
      metrics_path: '/metrics',
      static_configs: [{ targets: ['127.0.0.1:8101', '127.0.0.1:8102'], labels }],
    },
    atControl('bare'),
    atControl('silent'),
    atControl('worker'),
    atControl('admin'),
    { ...atControl('edge'), metrics_path: '/metrics' },
    {
      ...{ job_name: 'pay', metrics_path: '/v1/metrics', scheme: 'https' },
      ...{ scrape_interval: '60s', scrape_timeout: '2500ms' },
      static_configs: [{ targets: ['pay.example:443'], labels }],
    },
    atControl('secret'),
    { job_name: 'idle', static_configs: [] },
    { job_name: 'db', static_configs: [{ targets: ['10.0.0.9:9187'] }] },
  ])
  expect(config.alerting.alertmanagers[0].static_configs).toEqual([{ targets: [control] }])
  expect(text).not.toContain('s3cret')
  expect(scrapeConfig.parse(config).global.scrape_interval).toBe('15s')
})

test('what has not changed is not written again', () => {
  const { home, changed } = write()
  const before = statSync(configFile(home)).ino
  expect(changed).toBe(true)
  expect(write(home).changed).toBe(false)
  expect(statSync(configFile(home)).ino).toBe(before)
})

test('promtool finds nothing wrong with them', context => {
  const missing = Prometheus.missing()
  if (missing) context.skip(missing)
  const { home } = write()
  const check = (...args: string[]) => spawnSync('promtool', ['check', ...args], { encoding: 'utf8' })
  expect(check('config', configFile(home))).toMatchObject({ status: 0 })
  expect(check('rules', shippedRulesFile(home))).toMatchObject({ status: 0 })
  expect(shippedRulesFile(home)).toBe(join(home, 'rules/quarterdeck.yml'))
})
