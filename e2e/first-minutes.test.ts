/** A newcomer starts the environment and looks at its hosts. */
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { qd, up } from './environment.ts'

const hosts = ['admin', 'status', 'docs', 'auth', 'metrics']
const root = join(import.meta.dirname, '..')
const checkout = execFileSync('git', ['-C', root, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()

test('every host keeps the environment’s own rules, under its own name', async () => {
  const { ask } = await up(temporaryDirectory())
  for (const name of hosts) {
    const host = `${name}.localhost`
    const health = await ask(host, '/healthz')
    expect([health.status, health.text, health.headers['cache-control']]).toEqual([
      200,
      '{"ok":true}',
      'no-store',
    ])
    expect((await ask(host, '/readyz')).text).toBe('{"ok":true}')
    expect(JSON.parse((await ask(host, '/version')).text)).toEqual({ name, sha: checkout })
  }
  expect(JSON.parse((await ask('localhost', '/version')).text)).toEqual({ name: 'edge', sha: checkout })
  expect(JSON.parse((await ask('127.0.0.1', '/readyz')).text)).toEqual({ ok: true })
})

const promtool = spawnSync('promtool', ['--version']).error
  ? 'promtool is not installed (Debian: prometheus)'
  : undefined

test('the metrics of every host are clean, before and after an OpenMetrics scrape', async context => {
  if (promtool) context.skip(promtool)
  const { ask } = await up(temporaryDirectory())
  for (const host of [...hosts.map(name => `${name}.localhost`), 'localhost']) {
    await ask(host, '/healthz')
    const before = await ask(host, '/metrics')
    const open = await ask(host, '/metrics', { accept: 'application/openmetrics-text;version=1.0.0' })
    const after = await ask(host, '/metrics')
    expect(before.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(open.headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
    expect(open.text.endsWith('\n# EOF\n')).toBe(true)
    for (const { text } of [before, after]) {
      const { status, stderr, stdout } = spawnSync('promtool', ['check', 'metrics'], {
        input: text,
        encoding: 'utf8',
      })
      expect([status, stdout, stderr]).toEqual([0, '', ''])
      expect(text).toContain(
        '# HELP http_requests_total Total HTTP requests\n# TYPE http_requests_total counter\n',
      )
      expect(text).toMatch(/^http_requests_total\{method="GET",endpoint="\/healthz"\} \d+$/m)
    }
  }
})

test('the commands of the first minutes say what is there', async () => {
  const { home, port } = await up(temporaryDirectory())
  const version = await qd('version', '--home', home, '--json')
  expect(JSON.parse(version.stdout)).toMatchObject({
    name: 'quarterdeck',
    sha: checkout,
    running: { port, sha: checkout },
  })
  const doctor = await qd('doctor', '--home', home, '--json')
  expect(doctor.code).toBe(0)
  expect(JSON.parse(doctor.stdout).ok).toBe(true)
  expect((await qd('version', '--home', temporaryDirectory())).stdout).toContain('nothing on this home')
})

test('the API answers the operator’s token, and what was done is in the audit', async () => {
  const { ask, token } = await up(temporaryDirectory())
  const authorization = `Bearer ${token}`
  const session = await ask('admin.localhost', '/api/session', { authorization })
  expect(JSON.parse(session.text).role).toBe('operator')
  await until('the audit has read the start', async () => {
    const audit = await ask('admin.localhost', '/api/audit', { authorization })
    return JSON.parse(audit.text).items.some(
      (entry: { action: string }) => entry.action === 'control.started',
    )
  })
})
