/** Variables and secrets of a project, from the order to the process, and nowhere else. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { VariableSet } from '@quarterdeck/contract'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { agentUnderTest } from './under-test.ts'

const sentinel = 'sentinel-(secret)$1'
const secretSet: VariableSet = {
  id: 'a'.repeat(32),
  values: { APP_KEY: sentinel, APP_LEVEL: 'debug', APP_TEXT: 'two\nlines "quoted"' },
  secrets: ['APP_KEY'],
}
const earlier: VariableSet = { id: 'b'.repeat(32), values: { APP_LEVEL: 'info' }, secrets: [] }
const broken: VariableSet = {
  id: 'c'.repeat(32),
  values: { APP_BROKEN: `very ${sentinel}` },
  secrets: ['APP_BROKEN'],
}

async function agentWith(...sets: VariableSet[]) {
  const here = await agentUnderTest()
  here.control.variables = sets
  here.variables = { deploy: sets[0]!.id, rollback: sets.at(-1)!.id }
  return here
}

test('a process gets them, and its step before the restart too', async () => {
  await using here = await agentWith(secretSet)
  here.project = { ...here.project, before_restart: ['python', 'service.py', 'prepare'] }
  here.commit()
  const ended = await here.deploy()
  expect(ended.status).toBe('succeeded')
  expect((await here.version()).variables).toEqual(secretSet.values)
  expect(here.textOf(ended)).toContain('prepare has {"APP_KEY": "***", "APP_LEVEL": "debug"')
  await until('it is told', () => here.control.instance('hello')?.variables === secretSet.id)
})

test('a secret is in one file for the agent alone, and in nothing else that is written or told', async () => {
  await using here = await agentWith(secretSet)
  here.project = { ...here.project, before_restart: ['python', 'service.py', 'prepare'] }
  here.commit(['never-ready'])
  here.project = { ...here.project, health: { timeout_s: 0.5 } }
  const failed = await here.deploy()
  expect(failed.status).toBe('failed')
  expect(here.textOf(failed)).toContain('web has')
  here.commit()
  await here.deploy()
  const question = { what: 'unit_log', project: 'hello', process: 'web', lines: 100, after: null } as const
  expect(JSON.stringify(await here.control.ask(question))).toContain('***')
  expect(JSON.stringify(here.control.told)).not.toContain(sentinel)
  expect(here.log.text()).not.toContain(sentinel)
  // What the service itself has written is its own; it is masked when it is shown.
  const own = join(here.home, 'agent/unit-logs/')
  const files = filesWith('sentinel-(secret)', here.home).filter(file => !file.startsWith(own))
  expect(files).toEqual([join(here.layout.root, 'variables', `${secretSet.id}.env`)])
  expect(statSync(files[0]!).mode & 0o777).toBe(0o600)
  expect(statSync(join(here.layout.root, 'variables')).mode & 0o777).toBe(0o700)
})

test('variables that a service does not run with go back with it', async () => {
  await using here = await agentWith(secretSet)
  await here.deployGood()
  here.control.variables = [broken]
  here.variables = { deploy: broken.id, rollback: broken.id }
  expect(await here.deploy()).toMatchObject({ status: 'failed', error: { code: 'verify_failed' } })
  expect((await here.version()).variables).toEqual(secretSet.values)
  const kept = () => readdirSync(join(here.layout.root, 'variables'))
  await until('they are forgotten', () => String(kept()) === `${secretSet.id}.env`)
})

test('what turns out to be a rollback gets those of the rollback', async () => {
  await using here = await agentWith(secretSet)
  const first = await here.deployGood()
  await here.deployGood()
  here.control.variables = [secretSet, earlier]
  here.variables = { deploy: secretSet.id, rollback: earlier.id }
  const ended = await here.deploy({ ref: first, sent_before: [first] })
  expect(ended).toMatchObject({ status: 'succeeded', progress: { kind: 'rollback' } })
  expect((await here.version()).variables).toEqual(earlier.values)
})

test('a restart brings new ones, and proves them; the former ones come back if they do not do', async () => {
  await using here = await agentWith(earlier)
  await here.deployGood()
  await here.control.act('restart', here.project, secretSet)
  expect((await here.version()).variables).toEqual(secretSet.values)
  await until('it is told', () => here.control.instance('hello')?.variables === secretSet.id)
  const attempt = here.control.act('restart', here.project, broken)
  await expect(attempt).rejects.toThrow(
    /^With the new variables it does not run: hello: the process web ended with code 7.* It runs with the former ones again\.$/,
  )
  expect((await here.version()).variables).toEqual(secretSet.values)
  expect(JSON.stringify(here.control.told)).not.toContain(sentinel)
})

test('removed, it leaves no secret behind', async () => {
  await using here = await agentWith(secretSet)
  await here.deployGood()
  await here.control.ask({ what: 'remove', project: 'hello' })
  const own = join(here.home, 'agent/unit-logs/')
  expect(filesWith('sentinel-(secret)', here.home).filter(file => !file.startsWith(own))).toEqual([])
})

test('after the agent was away, a process that ended has them again', async () => {
  await using here = await agentWith(secretSet)
  await here.deployGood()
  const { pid } = await here.version()
  await here.stopAgent()
  process.kill(pid, 'SIGKILL')
  await here.startAgent()
  await until('it runs again', async () => {
    const now = await here.version().catch(() => undefined)
    return now && now.pid !== pid
  })
  expect((await here.version()).variables).toEqual(secretSet.values)
  expect(existsSync(join(here.layout.root, 'variables.env'))).toBe(true)
})

function filesWith(text: string, directory: string): string[] {
  try {
    const found = execFileSync('grep', ['-rlF', '--', text, directory], { encoding: 'utf8' })
    return found.trim().split('\n')
  } catch {
    return []
  }
}
