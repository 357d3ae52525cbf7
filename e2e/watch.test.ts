/** What an operator relies on: an outage is seen, with its reason, and its end too; a deploy is no outage; nobody watching is not "up". */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Service, type ServiceHistory, type Status, statusDocument } from '@quarterdeck/contract'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { addProject, ended } from './deploy/placed.ts'
import { repository } from './deploy/repository.ts'
import { type Environment, qd, up } from './environment.ts'

const limitMs = 30_000

/** One that looks every second. */
async function watching(home = temporaryDirectory()): Promise<Environment> {
  writeFileSync(join(home, 'quarterdeck.yaml'), 'watch: { interval_s: 1, timeout_s: 0.8 }\n')
  return up(home)
}

const status = async ({ ask }: Environment): Promise<Status> =>
  statusDocument.schema.parse(JSON.parse((await ask('status.localhost', '/status.json')).text))

/** A project is watched from a moment after it was added. */
const service = async (environment: Environment, id = 'hello'): Promise<Service | undefined> =>
  (await status(environment)).services.find(each => each.id === id)

const becomes = (environment: Environment, wanted: Service['status'], id?: string): Promise<Service> =>
  until(
    `${id ?? 'hello'} is ${wanted}`,
    async () => {
      const found = await service(environment, id)
      return found?.status === wanted && found
    },
    limitMs,
  )

async function deploy(environment: Environment, ref: string): Promise<string> {
  const { json } = await environment.call('POST', '/api/projects/hello/runs', { ref })
  return (await ended(environment, json.id)).status
}

const seconds = async (environment: Environment) => {
  const { text } = await environment.ask('status.localhost', '/services/hello.json')
  return (JSON.parse(text) as ServiceHistory).history.at(-1)!
}

test('a service that is stopped is an outage within two looks, and operational when it is back', async () => {
  const environment = await watching()
  const { url, push } = repository()
  await addProject(environment, url)
  const sha = push('good')
  expect(await deploy(environment, sha)).toBe('succeeded')
  // A deploy that has proven it says so before the first look.
  await expect
    .poll(() => service(environment), { timeout: limitMs })
    .toMatchObject({
      status: 'operational',
      ok: true,
      version: { name: 'hello', sha, deployed_at: expect.any(String) },
      instances: { total: 1, up: 1 },
      checks: { live: { ok: true }, ready: { ok: true }, metrics: null },
    })
  await environment.call('POST', '/api/projects/hello/stop')
  const out = await becomes(environment, 'outage')
  expect(out).toMatchObject({
    ok: false,
    reason: { code: 'connect', message: 'Nothing takes the connection.' },
  })
  expect((await status(environment)).status).toEqual({ indicator: 'major', description: 'hello is down' })
  expect((await qd('status', '--home', environment.home)).stdout).toContain(
    '✕ hello: Nothing takes the connection.',
  )
  await environment.call('POST', '/api/projects/hello/start')
  await becomes(environment, 'operational')
  expect((await seconds(environment)).down_s).toBeGreaterThan(0)
})

test('deploys of healthy commits are never an outage, and the environment itself is watched', async () => {
  const environment = await watching()
  const { url, push } = repository()
  await addProject(environment, url)
  expect(await deploy(environment, push('good'))).toBe('succeeded')
  await becomes(environment, 'operational')
  for (let turn = 0; turn < 5; turn++) {
    const sha = push('good')
    expect(await deploy(environment, sha)).toBe('succeeded')
    await until(
      'the new commit is seen',
      async () => (await service(environment))?.version?.sha === sha,
      limitMs,
    )
  }
  const { down_s, degraded_s } = await seconds(environment)
  expect([down_s, degraded_s]).toEqual([0, 0])
  for (const id of ['admin', 'status', 'docs', 'auth', 'metrics', 'edge', 'agent'])
    expect((await becomes(environment, 'operational', id)).version?.name).toBe(id)
})

test('state survives a restart, and the time without control is unknown', async () => {
  const first = await watching()
  const { url, push } = repository()
  await addProject(first, url)
  expect(await deploy(first, push('good'))).toBe('succeeded')
  const { since } = await becomes(first, 'operational')
  await first.stop('SIGKILL')
  const second = await watching(first.home)
  expect((await becomes(second, 'operational')).since).toBe(since)
  const { observer } = await status(second)
  expect(observer.last_gap).not.toBeNull()
  expect((await seconds(second)).down_s).toBe(0)
})
