/** As a new user would, with git, curl and qd alone: from a repository to a proven build, and back. */
import { execFile } from 'node:child_process'
import { freePort, temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { type Environment, qd, up } from '../environment.ts'
import { endServicesAfterwards, type Run, version } from './placed.ts'
import { repository } from './repository.ts'

interface Curled {
  /** Of curl itself: 22 is its word for an answer of 400 or more. */
  exit: number
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at field by field
  json: any
}

interface Call {
  token: string
  ref: string
  project?: string
  name?: string
  type?: string
  args?: string[]
}

/** The call of the specification, as a CI job makes it. */
function deploy(
  { port }: Environment,
  { token, ref, project = 'acme/hello', name = 'hello', type = 'application/json', args = [] }: Call,
): Promise<Curled> {
  const headers = ['--header', `Authorization: Bearer ${token}`, '--header', `Content-Type: ${type}`]
  const body = JSON.stringify({ ref, project })
  return curl([...headers, '--data', body, ...args, `http://admin.localhost:${port}/api/deploy/${name}`])
}

function curl(args: string[]): Promise<Curled> {
  const { promise, resolve } = Promise.withResolvers<Curled>()
  const all = ['--silent', '--fail-with-body', '--write-out', '\n%{http_code}', ...args]
  execFile('curl', all, (error, stdout) => {
    const end = stdout.lastIndexOf('\n')
    const text = stdout.slice(0, end)
    const exit = error ? Number(error.code) : 0
    resolve({ exit, status: Number(stdout.slice(end)), json: /^[{[]/.test(text) ? JSON.parse(text) : text })
  })
  return promise
}

const wait = ['--header', 'Prefer: wait=60']

test('project added, token made, curl as in the specification; a broken commit; the earlier call again', async () => {
  const environment = await up(temporaryDirectory())
  const { home } = environment
  endServicesAfterwards(home)
  const { url, push } = repository()
  const first = push('good')

  const add = ['project', 'add', 'hello', '--repository', 'acme/hello', '--git', url, '--home', home]
  const port = ['--port', String(await freePort()), '--interpreter', '/usr/bin/python3']
  const added = await qd(...add, ...port, '--', 'python', '-m', 'app')
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('hello') })
  const token = (await qd('token', 'create', 'hello', '--label', 'ci', '--home', home)).stdout.trim()
  expect(token).toMatch(/^qd_deploy_/)

  const good = await deploy(environment, { token, ref: first, args: wait })
  expect([good.exit, good.status, good.json.status]).toEqual([0, 200, 'succeeded'])
  expect(await version(environment)).toBe(first)

  const broken = push('exits')
  const bad = await deploy(environment, { token, ref: broken, args: wait })
  expect([bad.exit, bad.status, bad.json.code]).toEqual([22, 424, 'run_failed'])
  expect(bad.json.detail).toContain('ended with code 3')
  expect(bad.json.run).toMatchObject({ restored_sha: first, error: { code: 'verify_failed' } })
  expect(await version(environment)).toBe(first)
  const log = await qd('logs', bad.json.run.id, '--home', home)
  expect(log.stdout).toContain('cannot go on: no such table')

  const second = push('good')
  expect((await deploy(environment, { token, ref: second, args: wait })).json.status).toBe('succeeded')
  expect(await version(environment)).toBe(second)

  const late = await deploy(environment, { token, ref: broken, args: wait })
  expect([late.exit, late.json.status]).toEqual([0, 'superseded'])
  const again = await deploy(environment, { token, ref: first, args: wait })
  expect([again.exit, again.json.status, again.json.kind]).toEqual([0, 'succeeded', 'rollback'])
  expect(await version(environment)).toBe(first)

  const runs = JSON.parse((await qd('runs', 'hello', '--json', '--home', home)).stdout) as { items: Run[] }
  const ended = runs.items.map(({ status, kind }) => `${kind} ${status}`)
  const expected = ['rollback succeeded', 'deploy superseded', 'deploy succeeded', 'deploy failed']
  expect(ended).toEqual([...expected, 'deploy succeeded'])
})

test('every answer of the table is given to curl', async () => {
  const environment = await up(temporaryDirectory())
  const { home, port } = environment
  const ref = 'a'.repeat(40)
  for (const name of ['hello', 'other']) {
    const git = ['--repository', `acme/${name}`, '--git', '/nowhere/at-all.git', '--home', home]
    await qd('project', 'add', name, ...git, '--', 'python', '-m', 'app')
  }
  const token = (await qd('token', 'create', 'hello', '--label', 'ci', '--home', home)).stdout.trim()
  const answer = async (call: Promise<Curled>) => (await call).status
  const call = { token, ref }

  expect(await answer(deploy(environment, call))).toBe(202)
  const failed = await deploy(environment, { ...call, args: wait })
  expect([failed.status, failed.json.run.error.code]).toEqual([424, 'remote_denied'])
  expect(await answer(deploy(environment, { ...call, token: 'qd_deploy_wrong' }))).toBe(401)
  expect(await answer(deploy(environment, { ...call, name: 'other' }))).toBe(403)
  expect(await answer(deploy(environment, { ...call, name: 'nobody-knows' }))).toBe(403)
  expect(await answer(deploy(environment, { ...call, type: 'text/plain' }))).toBe(415)
  expect(await answer(deploy(environment, { ...call, project: 'x'.repeat(70_000) }))).toBe(413)
  const url = `http://admin.localhost:${port}/api/deploy/hello`
  const headers = ['--header', `Authorization: Bearer ${token}`, '--header', 'Content-Type: application/json']
  expect(await answer(curl([...headers, '--data', '{"ref":', url]))).toBe(400)
  expect(await answer(deploy(environment, { ...call, ref: 'main; rm -rf /' }))).toBe(422)
  expect(await answer(deploy(environment, { ...call, project: 'acme/other' }))).toBe(422)
  expect(await answer(deploy(environment, { ...call, project: 'ACME/Hello' }))).toBe(202)

  const statuses = new Set<number>()
  for (let i = 0; i < 60; i++)
    statuses.add(await answer(deploy(environment, { ...call, project: 'acme/other' })))
  expect([...statuses]).toEqual([422, 429])
  for (let i = 0; i < 20; i++) await deploy(environment, { ...call, token: 'qd_deploy_wrong' })
  expect(await answer(deploy(environment, { ...call, token: 'qd_deploy_wrong' }))).toBe(429)
})

test('what is stopped answers 502, by name, and comes back with a start', async () => {
  const environment = await up(temporaryDirectory())
  const { home, port } = environment
  endServicesAfterwards(home)
  const { url, push } = repository()
  const sha = push('good')
  const place = ['--interpreter', '/usr/bin/python3', '--port', String(await freePort()), '--home', home]
  await qd(
    'project',
    'add',
    'hello',
    '--repository',
    'acme/hello',
    '--git',
    url,
    ...place,
    '--',
    'python',
    '-m',
    'app',
  )
  await expect.poll(() => environment.ask('hello.localhost', '/')).toMatchObject({ status: 502 })

  const deployed = await qd('deploy', 'hello', '--home', home)
  expect(deployed).toMatchObject({ code: 0, stdout: expect.stringContaining('verify') })
  expect(await version({ port })).toBe(sha)

  expect((await qd('stop', 'hello', '--home', home)).code).toBe(0)
  const stopped = await environment.ask('hello.localhost', '/anything', { accept: 'application/json' })
  expect(JSON.parse(stopped.text)).toMatchObject({
    status: 502,
    code: 'upstream_refused',
    detail: expect.stringContaining('hello'),
  })
  const page = await environment.ask('hello.localhost', '/', { accept: 'text/html' })
  expect([page.status, page.headers['content-type']]).toEqual([502, 'text/html; charset=utf-8'])

  expect((await qd('start', 'hello', '--home', home)).code).toBe(0)
  expect(await version({ port })).toBe(sha)
})
