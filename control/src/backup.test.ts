import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { loadConfig } from './config.ts'
import { projectUnderTest } from './deploy/under-test.ts'
import { AgentUnderTest } from './fleet/under-test.ts'
import { hookUnderTest, sign } from './forge/under-test.ts'
import { backUp, restoreFrom } from './main.ts'
import { controlUnderTest } from './under-test.ts'

test('a backup made while control is writing holds one moment, and a home restored from it goes on', async () => {
  const { ask, token, config } = await controlUnderTest()
  writeFileSync(join(config.home, 'quarterdeck.yaml'), 'limits: {stop_s: 1}\n')
  const made: string[] = []
  let writing = true
  const writer = (async () => {
    while (writing) {
      const { json } = await ask('admin', '/api/tokens', {
        method: 'POST',
        token,
        body: { label: `t${made.length}` },
      })
      made.push(json.id)
    }
  })()
  const target = join(temporaryDirectory(), 'backups', 'one')
  const manifest = await backUp(config, target, 'abc')
  writing = false
  await writer

  expect(Object.keys(manifest.files).sort()).toEqual([
    'database.sqlite',
    'operator.token',
    'quarterdeck.yaml',
  ])
  expect(statSync(target).mode & 0o777).toBe(0o700)
  expect(readdirSync(target).map(name => statSync(join(target, name)).mode & 0o777)).toEqual([
    0o600, 0o600, 0o600, 0o600,
  ])

  const home = join(temporaryDirectory(), 'new')
  mkdirSync(home)
  await restoreFrom(loadConfig({ home }), target)
  const restored = await controlUnderTest({ home })
  expect(restored.token).toBe(token)
  const { json } = await restored.ask('admin', '/api/tokens?limit=200', { token })
  const ids = json.items.map((item: { id: string }) => item.id).reverse()
  // The moment of the backup: everything up to some point, and nothing after it.
  expect(ids.slice(1)).toEqual(made.slice(0, ids.length - 1))
})

test('the key of the secrets goes with a backup, and without it they stay closed', async () => {
  const under = await controlUnderTest()
  const { deliver } = await hooked(under)
  const target = join(temporaryDirectory(), 'one')
  expect(Object.keys((await backUp(under.config, target, 'abc')).files)).toContain('secret.key')
  const restoredTo = async (source: string) => {
    const home = join(temporaryDirectory(), 'new')
    mkdirSync(home)
    await restoreFrom(loadConfig({ home }), source)
    return { home, ...(await controlUnderTest({ home })) }
  }
  const restored = await restoredTo(target)
  expect(statSync(join(restored.home, 'secret.key')).mode & 0o777).toBe(0o600)
  expect((await deliver(restored)).status).toBe(200)
  rmSync(join(restored.home, 'secret.key'))
  expect((await deliver(restored)).json.code).toBe('secret_key_unusable')
})

test('rules and scrape jobs of one’s own go with a backup; what is made anew, or leads elsewhere, does not', async () => {
  const { config } = await controlUnderTest()
  for (const folder of ['rules', 'scrape']) mkdirSync(join(config.home, folder), { recursive: true })
  writeFileSync(join(config.home, 'rules/own.yml'), 'groups: []\n')
  writeFileSync(join(config.home, 'scrape/own.yaml'), 'scrape_configs: []\n')
  symlinkSync('/etc/passwd', join(config.home, 'rules/linked.yml'))
  const target = join(temporaryDirectory(), 'one')
  const { files } = await backUp(config, target, 'abc')
  expect(Object.keys(files).filter(name => name.includes('/'))).toEqual(['rules/own.yml', 'scrape/own.yaml'])
  const home = join(temporaryDirectory(), 'new')
  mkdirSync(home)
  await restoreFrom(loadConfig({ home }), target)
  expect(readFileSync(join(home, 'rules/own.yml'), 'utf8')).toBe('groups: []\n')
  writeFileSync(join(target, 'rules/own.yml'), 'groups: [x]\n')
  const again = join(temporaryDirectory(), 'again')
  mkdirSync(again)
  await expect(restoreFrom(loadConfig({ home: again }), target)).rejects.toMatchObject({
    code: 'backup_invalid',
  })
})

/** A project with a hook, and a call of it that goes to any control. */
async function hooked(under: Awaited<ReturnType<typeof controlUnderTest>>) {
  await projectUnderTest(under)
  const { secret } = await hookUnderTest(under)
  const headers = {
    ...{ 'x-github-event': 'ping', 'x-github-delivery': '1' },
    'x-hub-signature-256': `sha256=${sign('{}', secret())}`,
  }
  const deliver = ({ ask }: typeof under) =>
    ask('admin', '/api/hooks/hello', { method: 'POST', body: '{}', headers })
  return { deliver }
}

test('a backup never goes over what is there, and a failed one leaves nothing behind', async () => {
  const { config } = await controlUnderTest()
  const parent = temporaryDirectory()
  await expect(backUp(config, parent, 'abc')).rejects.toMatchObject({ code: 'target_exists' })
  writeFileSync(join(parent, 'file'), '')
  await expect(backUp(config, join(parent, 'file', 'below'), 'abc')).rejects.toThrow()
  expect(readdirSync(parent)).toEqual(['file'])
})

test('a home without a database has nothing to back up, and stays without', async () => {
  const home = temporaryDirectory()
  await expect(backUp(loadConfig({ home }), join(home, 'b'), 'abc')).rejects.toMatchObject({
    code: 'home_unusable',
  })
  expect(readdirSync(home)).toEqual([])
})

test('a backup that was changed is refused, and nothing is restored', async () => {
  const { config } = await controlUnderTest()
  const target = join(temporaryDirectory(), 'b')
  await backUp(config, target, 'abc')
  writeFileSync(join(target, 'operator.token'), 'qd_operator_forged')
  const home = temporaryDirectory()
  await expect(restoreFrom(loadConfig({ home }), target)).rejects.toMatchObject({
    code: 'backup_invalid',
    message: expect.stringContaining('operator.token is not as it was'),
  })
  expect(existsSync(join(home, 'operator.token'))).toBe(false)
  await expect(restoreFrom(loadConfig({ home }), home)).rejects.toMatchObject({ code: 'backup_invalid' })
})

test('a home with data is never restored over', async () => {
  const { config, control } = await controlUnderTest()
  const target = join(temporaryDirectory(), 'b')
  await backUp(config, target, 'abc')
  await control.stop()
  await expect(restoreFrom(config, target)).rejects.toMatchObject({ code: 'home_not_empty' })
})

test('variables and their secrets come with a backup, and its key with them', async () => {
  const first = await controlUnderTest()
  await projectUnderTest(first)
  const set = { LOG: { value: 'info' }, KEY: { value: 'sentinel-1', secret: true } }
  const path = '/api/projects/hello/variables'
  await first.ask('admin', path, { method: 'PATCH', token: first.token, body: { set } })
  const target = join(temporaryDirectory(), 'b')
  expect(Object.keys((await backUp(first.config, target, 'abc')).files)).toContain('secret.key')
  const home = temporaryDirectory()
  await restoreFrom(loadConfig({ home }), target)
  const second = await controlUnderTest({ home })
  const { json } = await second.ask('admin', path, { token: second.token })
  expect(json.items).toMatchObject([{ name: 'KEY' }, { name: 'LOG', value: 'info' }])
  expect((await second.ask('admin', `${path}/revisions`, { token: second.token })).json.items).toHaveLength(1)
  const agent = new AgentUnderTest(link => second.control.attach(link)).connect()
  await second.ask('admin', '/api/projects/hello/restart', { method: 'POST', token: second.token })
  await expect.poll(() => JSON.stringify(agent.heard)).toContain('sentinel-1')
})
