/** On a server with a real systemd: variables and secrets get to a unit and to its step before the restart, and to nobody else. */
import { Machine, until } from '@quarterdeck/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { service } from './server-services.ts'
import { home, type ProjectOnServer, Server } from './server-under-test.ts'

const missing = Machine.missing()
const sentinel = 'sentinel-(secret)$1 "quoted" `id`'
const searched = 'sentinel-(secret)'
const start = ['python', '-m', 'app']

/** Says all of its variables at its start, as a careless service does. */
const careless = `
import json, os
print('has', {name: os.environ[name] for name in os.environ if name.startswith('APP_')}, flush=True)
if os.environ.get('APP_LEVEL') == 'broken':
    raise SystemExit(f"level of {os.environ['APP_KEY']}")
with open(os.path.join(os.environ['HOME'], 'variables'), 'w') as file:
    json.dump({name: os.environ[name] for name in os.environ if name.startswith('APP_')}, file)
${service}`

let server: Server
let project: ProjectOnServer
let first: string

beforeAll(async () => {
  if (missing) return
  server = await Server.install()
  project = await server.project('shop', ['--before-restart', 'python step.py'], start)
  const { machine } = server
  const set = ['var', 'set', 'shop', 'APP_KEY', '--secret']
  const { code, stderr } = await machine.run('qd', set, { input: sentinel })
  expect([code, stderr]).toEqual([0, expect.any(String)])
  await server.qd('var', 'set', 'shop', 'APP_LEVEL=info')
  first = await project.push({
    'app/__main__.py': careless,
    'step.py': 'import os; print("step has", os.environ["APP_KEY"], os.environ["APP_LEVEL"])',
  })
}, 120_000)
afterAll(() => server?.machine.remove())
beforeEach(context => {
  if (missing) context.skip(missing)
})

/** What the service has found in its environment when it was last started. */
const variables = async () =>
  JSON.parse(await server.machine.ok('cat', `${project.root}/data/variables`)) as Record<string, string>

test('a deploy brings them, and its log shows no secret', async () => {
  const run = await project.deploy(first)
  expect(run).toMatchObject({ status: 'succeeded', error: null })
  expect(await variables()).toEqual({ APP_KEY: sentinel, APP_LEVEL: 'info' })
  expect(await project.log(run.id)).toContain('step has *** info')
  expect(await server.qd('logs', 'shop')).toContain("has {'APP_KEY': '***', 'APP_LEVEL': 'info'}")
})

test('a secret is nowhere but in one file of root’s and in the service’s own words', async () => {
  const { machine } = server
  // What is older than the machine is the host's, and may be any amount.
  const written = ['-type', 'f', '-newer', '/etc/machine-id', '-exec', 'grep', '-lF', '--', searched]
  const found = await machine.run('find', [home, '/etc', '/opt', '/run/systemd', ...written, '{}', '+'])
  const files = found.stdout.trim().split('\n').sort()
  expect(files).toEqual([
    `${project.root}/data/variables`,
    expect.stringMatching(/^\/var\/lib\/quarterdeck\/projects\/shop\/variables\/[0-9a-f]{32}\.env$/),
  ])
  expect((await machine.ok('stat', '--format=%U %a', files[1]!)).trim()).toBe('root 600')
  expect(await machine.ok('systemctl', 'show', 'qd-shop.service')).not.toContain(searched)
  const journal = ['--no-pager', '--output=cat', '--unit=quarterdeck*', '--unit=qd-prepare*']
  expect(await machine.ok('journalctl', ...journal)).not.toContain(searched)
  expect(await server.qd('var', 'list', 'shop', '--json')).not.toContain(searched)
})

test('a restart brings new ones without a deploy; ones that it does not run with are taken back', async () => {
  await server.qd('var', 'set', 'shop', 'APP_LEVEL=debug', '--restart')
  expect(await variables()).toMatchObject({ APP_LEVEL: 'debug' })
  await server.qd('var', 'set', 'shop', 'APP_LEVEL=broken')
  const failed = await server.machine.run('qd', ['restart', 'shop'])
  expect(failed.code).not.toBe(0)
  expect(failed.stderr).toContain('It runs with the former ones again.')
  expect(failed.stdout + failed.stderr).not.toContain(searched)
  expect(await project.version()).toBe(first)
  expect(await variables()).toMatchObject({ APP_LEVEL: 'debug' })
  await server.qd('var', 'set', 'shop', 'APP_LEVEL=debug')
})

test('a rollback brings the variables back that the commit last ran with, and leaves the newest secret', async () => {
  await server.qd('var', 'set', 'shop', 'APP_LEVEL=warning')
  await server.machine.run('qd', ['var', 'set', 'shop', 'APP_KEY', '--secret'], { input: 'another secret' })
  const second = await project.push({ note: 'second' })
  expect(await project.deploy(second)).toMatchObject({ status: 'succeeded' })
  expect(await variables()).toEqual({ APP_KEY: 'another secret', APP_LEVEL: 'warning' })
  await server.qd('rollback', 'shop', '--to', first)
  expect(await project.version()).toBe(first)
  expect(await variables()).toEqual({ APP_KEY: 'another secret', APP_LEVEL: 'debug' })
  expect(await server.qd('var', 'list', 'shop')).toMatch(/APP_LEVEL +debug/)
})

test('after a power cut the unit has them again', async () => {
  const { machine } = server
  await machine.ok('rm', `${project.root}/data/variables`)
  await machine.powerCut()
  await machine.reboot()
  await project.answers(first)
  expect(await until('it has written them', () => variables().catch(() => undefined))).toEqual({
    APP_KEY: 'another secret',
    APP_LEVEL: 'debug',
  })
})
