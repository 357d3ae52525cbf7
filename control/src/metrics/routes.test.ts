import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prometheusAlerts, prometheusRules, prometheusTargets } from '@quarterdeck/contract'
import { readPage } from '@quarterdeck/metrics-text'
import { Prometheus, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { controlUnderTest } from '../under-test.ts'

const here = { from: '127.0.0.1' }

test('the metrics host answers as Prometheus does, from this machine, and tells what is seen of services', async () => {
  const { ask, config, token } = await controlUnderTest()
  const get = (path: string) => ask('metrics', path, here)
  await until('it is ready', async () => (await get('/-/ready')).status === 200)
  expect(await get('/-/healthy')).toMatchObject({ status: 200, text: 'Prometheus Server is Healthy.\n' })
  const targets = prometheusTargets.parse((await get('/api/v1/targets?state=active')).json)
  expect(targets.data.activeTargets.map(({ scrapePool }) => scrapePool)).toEqual(
    expect.arrayContaining(['admin', 'auth', 'docs', 'edge', 'metrics', 'status']),
  )
  prometheusRules.parse((await get('/api/v1/rules?type=alert')).json)
  prometheusAlerts.parse((await get('/api/v1/alerts')).json)
  expect(await get('/api/v1/query?query=1')).toMatchObject({
    status: 200,
    // Whatever a label says, no browser takes it for a page.
    headers: {
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
    },
    json: { data: { resultType: 'scalar' } },
  })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const posted = await ask('metrics', '/api/v1/query', {
    ...here,
    method: 'POST',
    headers: form,
    body: 'query=1%2B1',
  })
  expect(posted.json.data.result[1]).toBe('2')
  expect((await get('/api/v1/query?query=nonsense(')).status).toBe(400)

  const reload = (asking = {}) => ask('metrics', '/-/reload', { method: 'POST', ...here, ...asking })
  expect(await reload()).toMatchObject({ status: 200, text: '' })
  expect(await reload({ method: 'PUT' })).toMatchObject({ status: 200, text: '' })
  expect(await reload({ method: 'GET' })).toMatchObject({ status: 405, headers: { allow: 'POST, PUT' } })
  mkdirSync(join(config.home, 'rules'), { recursive: true })
  writeFileSync(join(config.home, 'rules/own.yml'), 'groups:\n  - rules: []\n')
  const refused = await reload()
  expect(refused).toMatchObject({ status: 500, headers: { 'content-type': 'text/plain; charset=utf-8' } })
  expect(refused.text).toMatch(/^failed to reload config: \S+\/rules\/own\.yml:2: groups\.0\.name: /)
  expect((await reload({ from: '203.0.113.9' })).status).toBe(401)
  expect((await reload({ from: '203.0.113.9', token })).status).toBe(500)

  const own = await ask('metrics', '/services/metrics/metrics', here)
  expect(own.status).toBe(200)
  if (!Prometheus.missing()) {
    const judged = spawnSync('promtool', ['check', 'metrics'], { input: own.text, encoding: 'utf8' })
    expect([judged.status, judged.stderr]).toEqual([0, ''])
  }
  const open = await ask('metrics', '/metrics', {
    ...here,
    headers: { accept: 'application/openmetrics-text;version=1.0.0' },
  })
  readPage(open.text, { format: 'openmetrics' })
  const page = readPage(own.text)
  const names = new Set(page.samples.map(({ series }) => series.name))
  expect(names).toContain('http_requests_total')
  // The agent of each machine tells of its disk.
  expect(names).not.toContain('machine_disk_free_bytes')
  expect(await ask('metrics', '/services/agent/metrics', here)).toMatchObject({ status: 503 })
  expect(await ask('metrics', '/services/nobody/metrics', here)).toMatchObject({
    status: 503,
    text: 'There is no service nobody.\n',
  })
})
