import { Fault, type Service, type Status, statusDocument } from '@quarterdeck/contract'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { qd, standIn, startQd } from '../under-test.ts'

const example = statusDocument.example as Status
const [hello] = example.services as [Service]

const of = (changes: Partial<Service>[], more: Partial<Status> = {}): Status => ({
  ...example,
  ...more,
  services: changes.map(change => ({ ...hello, ...change })),
})

test('services are listed by group, with what is wrong below', async () => {
  const status = of([
    { id: 'shop', status: 'operational', reason: null, uptime: { ...hello.uptime, '30d': 0.999999 } },
    { id: 'hello', instances: { total: 3, up: 2 } },
    {
      id: 'control',
      group: 'control',
      status: 'unknown',
      ok: null,
      since: null,
      reason: null,
      version: null,
    },
  ])
  const { home } = await standIn({ 'GET /status.json': () => status })
  const { code, stdout } = await qd('status', '--home', home)
  expect(code).toBe(0)
  const lines = stdout.split('\n')
  expect(lines[0]).toBe('Hello answers slowly')
  expect(lines.slice(3, 6).map(line => line.split(/ {2,}/).slice(0, 4))).toEqual([
    ['Production', 'shop', '● operational', '2026-03-02T09:13:00Z'],
    ['', 'hello', '◐ degraded', '2026-03-02T09:13:00Z'],
    ['Control', 'control', '○ unknown', '–'],
  ])
  expect(stdout).toContain('99.99 %')
  expect(stdout).toContain(
    '◐ hello: /readyz took longer than 5 s in 2 of the last 5 checks (2 of 3 instances up)',
  )
})

test('for programs it is the document itself, of one group if wanted', async () => {
  const { home, asked } = await standIn({ 'GET /status.json': () => example })
  const { stdout } = await qd('status', '--group', 'production', '--json', '--home', home)
  expect(JSON.parse(stdout)).toEqual(example)
  expect(asked.map(({ route }) => route)).toEqual(['GET /status.json?group=production'])
})

test('a group without services is said to be none', async () => {
  const { home } = await standIn({
    'GET /status.json': () => {
      throw new Fault('not_found', 'Nothing is here.')
    },
  })
  const { code, stderr } = await qd('status', '--group', 'nope', '--home', home)
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining('no service in a group nope')])
})

test('a watcher that is not well is said to be', async () => {
  const { home } = await standIn({
    'GET /status.json': () => of([{}], { observer: { ...example.observer, ok: false } }),
  })
  expect((await qd('status', '--home', home)).stdout).toContain('The watcher is not well itself')
})

test('with --watch each change is a line, over a moment without control too', async () => {
  let now = of([{ id: 'shop', status: 'operational', reason: null }])
  const { home, stop, start } = await standIn({ 'GET /status.json': () => now })
  const watching = startQd(['status', '--watch', '--home', home])
  await until('it has begun', () => watching.stdout().includes('shop'))
  now = of([{ id: 'shop', status: 'outage', ok: false, reason: { code: 'connect', message: 'It is away.' } }])
  await until('the outage is told', () =>
    watching.stdout().includes('2026-03-02T09:13:00Z  shop  outage: It is away.\n'),
  )
  await stop()
  await until('that nothing answers is told', () => watching.stdout().includes('does not answer'))
  await start()
  now = of([{ id: 'shop', status: 'operational', reason: null }])
  await until('the end is told', () => watching.stdout().includes('shop  operational\n'))
})
