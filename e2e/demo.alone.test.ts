/**
 * A newcomer starts the environment for the first time, finds two services deployed, and pushes a change to one. Alone,
 * because its projects take the first ports that are free, as those of another environment here would.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { endServicesAfterwards } from './deploy/placed.ts'
import { type Environment, qd, upWithDemo } from './environment.ts'

const greenWithinMs = 60_000
const projects = ['hello-node', 'hello-node-dev', 'hello-python', 'hello-python-dev']

interface Listed {
  name: string
  group: string
  repository: string
  instances: { sha: string | null; units: { state: string; pid: number }[] }[]
}

const listed = async ({ call }: Environment) => (await call('GET', '/api/projects')).json.items as Listed[]

const running = (items: Listed[]) =>
  items.filter(({ instances }) => instances[0]?.units[0]?.state === 'running').map(({ name }) => name)

const green = (environment: Environment, names = projects) =>
  until(
    `${names.join(', ')} run`,
    async () => {
      const items = await listed(environment)
      return String(running(items)) === String(names) && items
    },
    greenWithinMs,
  )

const demoState = (home: string, what: string) =>
  until(
    what,
    async () => {
      const { stdout } = await qd('doctor', '--home', home, '--json')
      const checks = JSON.parse(stdout).checks as { capability: string; name: string; found: string }[]
      const left = checks.filter(({ capability }) => capability === 'The demo')
      return left.length > 0 && left.map(({ name, found }) => `${name} ${found}`)
    },
    greenWithinMs,
  )

/** What is printed for the newcomer to copy. */
const commands = (environment: Environment) =>
  until(
    'the way to push is told',
    () => {
      const line = output(environment)
        .split('\n')
        .find(text => text.includes('"commands":'))
      return line !== undefined && (JSON.parse(line) as { commands: string[] }).commands
    },
    greenWithinMs,
  )

const written = new WeakMap<Environment, () => string>()
const output = (environment: Environment) => written.get(environment)?.() ?? ''

async function start(home: string, env: Record<string, string> = {}): Promise<Environment> {
  const environment = await upWithDemo(home, env)
  let text = ''
  environment.process.stdout?.on('data', piece => {
    text += piece
  })
  written.set(environment, () => text)
  return environment
}

/** A shell of somebody whom git does not know. */
function shell(home: string, ...lines: string[]) {
  const env = { PATH: process.env.PATH, HOME: home }
  const { status, stdout, stderr } = spawnSync('sh', ['-c', lines.join('\n')], { env, encoding: 'utf8' })
  return { status, text: `${stdout}${stderr}` }
}

const runsOf = async ({ call }: Environment) =>
  (await call('GET', '/api/runs')).json.items as { status: string; trigger: { by: string } }[]

async function tokensOf({ call }: Environment) {
  const lists = await Promise.all(projects.map(name => call('GET', `/api/projects/${name}/tokens`)))
  return lists.map(
    ({ json }) => json.items.filter((token: { revoked_at: string | null }) => !token.revoked_at).length,
  )
}

test('two services are green within a minute; a push deploys and shows it; a broken one is red; a restart changes nothing', async () => {
  const [home, user] = [join(temporaryDirectory(), 'a home'), temporaryDirectory()]
  endServicesAfterwards(home)
  const startedMs = performance.now()
  const first = await start(home, { HOME: user })
  const items = await green(first)
  expect(items.map(({ name, group, repository }) => [name, group, repository])).toEqual([
    ['hello-node', 'production', 'demo/hello-node'],
    ['hello-node-dev', 'development', 'demo/hello-node'],
    ['hello-python', 'production', 'demo/hello-python'],
    ['hello-python-dev', 'development', 'demo/hello-python'],
  ])
  const list = (await qd('project', 'list', '--home', home)).stdout
  expect(list.match(/ running /g)).toHaveLength(4)
  const printed = await commands(first)
  expect(performance.now() - startedMs).toBeLessThan(greenWithinMs)
  const before = await runsOf(first)
  expect(before.map(({ status, trigger }) => [status, trigger.by])).toEqual(
    projects.map(() => ['succeeded', 'token:demo']),
  )

  const pushed = shell(user, ...printed)
  expect([pushed.status, pushed.text]).toEqual([0, expect.stringMatching(/remote: ✓ hello-python now runs/)])
  expect(pushed.text).toMatch(/remote: +healthy, ready.*\nremote: +✓ verify +\d/)
  expect(pushed.text.indexOf('hello-python-dev now runs')).toBeLessThan(
    pushed.text.indexOf('hello-python now runs'),
  )
  expect((await first.ask('hello-python.localhost', '/')).text).toContain('Ahoy, world')

  const clone = join(home, 'demo/hello-python')
  const head = execFileSync('git', ['-C', clone, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
  appendFileSync(join(clone, 'app/web.py'), 'def broken(\n')
  const push = (message: string) =>
    shell(user, `cd '${clone}' && git commit --quiet --all --message '${message}' && git push`).text
  const broken = push('feat: break it')
  expect(broken).toContain('✗ The deploy of hello-python-dev failed in verify')
  expect(broken).toContain('SyntaxError')
  expect(broken).toContain('hello-python (production) was not touched.')
  for (const name of ['hello-python', 'hello-python-dev']) {
    expect(JSON.parse((await first.ask(`${name}.localhost`, '/version')).text).sha).toBe(head)
  }
  appendFileSync(join(clone, 'README.md'), 'More.\n')
  expect(push('docs: say more')).toContain('Nothing to deploy: no path has changed')

  const there = { pids: pidsIn(await listed(first)), runs: (await runsOf(first)).length }
  await first.stop()
  appendFileSync(join(clone, 'deploy/README.md'), 'More.\n')
  const late = push('docs: say more of deploys')
  expect(late).toContain('Nothing runs on the home')
  expect(late).toContain('Deploy it later with `qd deploy hello-python-dev` and `qd deploy hello-python`.')
  const second = await start(home)
  expect(pidsIn(await green(second))).toEqual(there.pids)
  expect([(await runsOf(second)).length, await tokensOf(second)]).toEqual([there.runs, [1, 1, 1, 1]])

  for (const name of projects) await qd('project', 'archive', name, '--home', home, '--yes')
  await second.stop()
  const third = await start(home)
  await third.stop()
  expect(output(third)).not.toContain('demo')
}, 180_000)

const pidsIn = (items: Listed[]) => items.map(({ instances }) => instances[0]?.units[0]?.pid)

const hooks = (home: string) => join(home, 'demo/hello-python.git/hooks')

test('stopped or killed half-way it is finished by the next start, and nothing is there twice', async () => {
  const [home, user] = [temporaryDirectory(), temporaryDirectory()]
  endServicesAfterwards(home)
  const making = () => existsSync(join(home, 'demo/.hello-python.unfinished'))
  const stages: [string, NodeJS.Signals, () => boolean][] = [
    ['a repository is being made', 'SIGTERM', making],
    ['a repository is being made again', 'SIGKILL', making],
    ['a token is kept', 'SIGKILL', () => existsSync(join(hooks(home), 'hello-python-dev.token'))],
    ['a project runs', 'SIGKILL', () => existsSync(join(home, 'projects/hello-python-dev/current'))],
  ]
  for (const [what, signal, reached] of stages) {
    // What was killed leaves there what it was building.
    const environment = await start(home, { HOME: user, TMPDIR: user })
    await until(what, reached, greenWithinMs)
    expect((await environment.stop(signal)).code).toBe(signal === 'SIGTERM' ? 0 : null)
  }
  const last = await start(home, { HOME: user })
  await green(last)
  await commands(last)
  expect(await tokensOf(last)).toEqual([1, 1, 1, 1])
  expect(await runsOf(last)).toHaveLength(4)
  expect(readdirSync(join(home, 'demo')).sort()).toEqual([
    'demo.json',
    'hello-node',
    'hello-node.git',
    'hello-python',
    'hello-python.git',
  ])
})

/** A PATH with all programs but these. */
function pathWithout(names: RegExp): string {
  const bin = temporaryDirectory()
  for (const directory of process.env.PATH!.split(':').filter(path => existsSync(path))) {
    for (const name of readdirSync(directory)) {
      if (names.test(name) || existsSync(join(bin, name))) continue
      rmSync(join(bin, name), { force: true })
      symlinkSync(join(directory, name), join(bin, name))
    }
  }
  return bin
}

test('what is missing is said, in qd doctor too; the rest goes on, and the next start with it makes up for it', async () => {
  const home = temporaryDirectory()
  endServicesAfterwards(home)
  const without = await start(home, { PATH: pathWithout(/^git$/) })
  expect(await demoState(home, 'without git there is no demo')).toEqual([
    'hello-python left out: git is not installed',
    'hello-node left out: git is not installed',
  ])
  expect((await without.ask('admin.localhost', '/healthz')).status).toBe(200)
  await without.stop()
  expect(output(without)).toContain('The demo goes without hello-python: git is not installed.')

  const withGit = await start(home, { PATH: pathWithout(/^python/) })
  await green(withGit, ['hello-node', 'hello-node-dev'])
  await commands(withGit)
  expect(await demoState(home, 'python is missing')).toEqual([
    'hello-python left out: python3 with venv is not installed',
  ])
  await withGit.stop()

  await green(await start(home))
})

test('whoever has a project of their own gets no demo any more', async () => {
  const home = temporaryDirectory()
  const without = await start(home, { PATH: pathWithout(/^git$/) })
  await demoState(home, 'without git there is no demo')
  const own = {
    name: 'mine',
    repository: 'acme/mine',
    git_url: '/srv/mine.git',
    runtime: 'python',
    start: ['python'],
  }
  expect((await without.call('POST', '/api/projects', own)).status).toBe(201)
  await without.stop()
  const environment = await start(home)
  const kept = () => readFileSync(join(home, 'demo/demo.json'), 'utf8')
  await until('it is over', () => kept() === '{"python":{"state":"over"},"node":{"state":"over"}}\n')
  expect((await listed(environment)).map(({ name }) => name)).toEqual(['mine'])
  expect(output(environment)).not.toContain('Setting up')
})
