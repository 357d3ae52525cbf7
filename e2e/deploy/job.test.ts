/** What `qd init` makes, deployed by its own job to a real environment: green, red, back; and when things go wrong in between. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { freePort, temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { type Environment, qd, up } from '../environment.ts'
import { runJob, startJob } from './job.ts'
import { endServicesAfterwards, version } from './placed.ts'

interface Project {
  directory: string
  hook: string
  token: string
  /** Changes a file of the project, commits and pushes; resolves with the commit. */
  push(path: string, change: (text: string) => string): string
}

const starts = {
  python: ['--interpreter', '/usr/bin/python3', '--', 'python', '-m', 'app'],
  // The one of these tests: that of the system may be older than the kit takes.
  node: ['--interpreter', process.execPath, '--', 'node', 'app/main.js'],
}

/** As the next steps of `qd init` say, with a remote on this machine. */
async function initialised(
  { home, port }: Environment,
  runtime: keyof typeof starts,
  ...settings: string[]
): Promise<Project> {
  endServicesAfterwards(home)
  const base = temporaryDirectory()
  const [directory, remote] = [join(base, 'hello'), join(base, 'remote.git')]
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', ...args], {
      cwd: directory,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim()
  const made = await qd('init', directory, '--runtime', runtime, '--repository', 'acme/hello')
  expect(made.code, made.stderr).toBe(0)
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote])
  // Where git knows nobody, `qd init` leaves the commit to them.
  git('add', '--all')
  git('commit', '--quiet', '--allow-empty', '--message', 'chore: begin')
  git('remote', 'add', 'origin', remote)
  git('push', '--quiet', '--set-upstream', 'origin', 'main')
  const project = ['project', 'add', 'hello', '--repository', 'acme/hello', '--runtime', runtime, '--socket']
  const place = ['--git', remote, '--port', String(await freePort()), ...settings, '--home', home]
  const added = await qd(...project, ...place, ...starts[runtime])
  expect(added.code, added.stderr).toBe(0)
  const token = (await qd('token', 'create', 'hello', '--label', 'ci', '--home', home)).stdout.trim()
  return {
    directory,
    hook: `http://admin.localhost:${port}/api/deploy/hello`,
    token,
    push(path, change) {
      const file = join(directory, path)
      writeFileSync(file, change(existsSync(file) ? readFileSync(file, 'utf8') : ''))
      git('commit', '--quiet', '--all', '--message', 'feat: change it')
      git('push', '--quiet')
      return git('rev-parse', 'HEAD')
    },
  }
}

test('green for a good commit, red with the log for a broken one, a rollback when an old run is run again', async () => {
  const environment = await up(temporaryDirectory())
  const { hook, token, push } = await initialised(environment, 'python')
  const first = push('README.md', text => `${text}\nOne.\n`)
  const good = await runJob({ hook, token, ref: first, run: 1 })
  expect(good).toMatchObject({
    code: 0,
    output: expect.stringContaining(`hello now runs ${first.slice(0, 7)}, proven`),
  })
  expect(good.output).toMatch(/✓ fetch[\s\S]*✓ install[\s\S]*✓ restart[\s\S]*✓ verify/)
  expect(await version(environment)).toBe(first)

  const broken = push('app/web.py', text => `${text}\nraise SystemExit("cannot go on: no such table")\n`)
  const bad = await runJob({ hook, token, ref: broken, run: 2 })
  expect(bad).toMatchObject({ code: 1, output: expect.stringContaining('cannot go on: no such table') })
  expect(bad.output).toMatch(
    new RegExp(`::error title=Deploy failed::The deploy of hello failed: .*${first.slice(0, 7)} runs again`),
  )
  expect(await version(environment)).toBe(first)

  const second = push('app/web.py', text => text.replace(/^raise .*\n/m, ''))
  expect((await runJob({ hook, token, ref: second, run: 3 })).code).toBe(0)
  expect(await version(environment)).toBe(second)
  // The same attempt once more is the same call: nothing is deployed again.
  const same = await runJob({ hook, token, ref: first, run: 1 })
  const idIn = (output: string) => output.match(/^Run .*$/m)?.[0]
  expect([same.code, idIn(same.output)]).toEqual([0, idIn(good.output)])
  expect(await version(environment)).toBe(second)

  const back = await runJob({ hook, token, ref: first, run: 1, attempt: 2 })
  expect(back).toMatchObject({
    code: 0,
    output: expect.stringContaining(`hello is back on ${first.slice(0, 7)}`),
  })
  expect(await version(environment)).toBe(first)

  const refused = async (job: Parameters<typeof runJob>[0], sentence: string) => {
    const { code, output } = await runJob(job)
    expect([code, output]).toEqual([1, expect.stringContaining(sentence)])
    // Neither secret is told.
    for (const secret of [token, job.hook]) expect(output).not.toContain(secret)
  }
  await refused({ hook, token: `qd_deploy_${'a'.repeat(43)}`, ref: first }, 'The server answered 401: ')
  await refused({ hook: hook.replace('hello', 'other'), token, ref: first }, 'The server answered 403: ')
  await refused(
    { hook, token, ref: first, repository: 'acme/other' },
    'acme/other is not the repository of hello',
  )
  await refused({ hook, token, ref: 'f'.repeat(40) }, 'The service was not touched.')
  expect(await version(environment)).toBe(first)
})

/** Between the job and the environment: cut and healed as a network is. */
async function wire(to: number) {
  const open = new Set<Socket>()
  const server = createServer(client => {
    const upstream = connect(to, '127.0.0.1')
    for (const [from, into] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from)
      from
        .on('error', () => into.destroy())
        .on('close', () => into.destroy())
        .pipe(into)
    }
  })
  const listen = (port: number) => new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as { port: number }
  const cut = () => {
    server.close()
    for (const socket of open) socket.destroy()
  }
  onTestFinished(cut)
  return { port, cut, heal: () => listen(port) }
}

test('a connection that is lost is taken up again, and runs that give way are followed to the one that counts', async () => {
  const environment = await up(temporaryDirectory())
  const gate = join(temporaryDirectory(), 'open')
  const waiting = `import os, time\nwhile not os.path.exists('${gate}'): time.sleep(0.05)`
  const { hook, token, push } = await initialised(
    environment,
    'python',
    '--before-restart',
    `python -c "${waiting}"`,
  )
  const [first, second, third] = ['One', 'Two', 'Three'].map(word =>
    push('README.md', text => `${text}\n${word}.\n`),
  )
  const between = await wire(environment.port)
  const through = hook.replace(/:\d+/, `:${between.port}`)

  const cutOff = startJob({ hook: through, token, ref: first! })
  await until('its install is shown', () => cutOff.output().includes('install'), 30_000)
  between.cut()
  await until('it tries again', () => cutOff.output().includes('Trying again'))
  const waits = startJob({ hook, token, ref: second! })
  await until('it waits', () => waits.output().includes('It waits: another run'))
  const newest = startJob({ hook, token, ref: third! })
  await until('it gives way', () => waits.output().includes('It gave way to a newer run'))
  writeFileSync(gate, '')
  await until(
    'the first is over',
    async () => {
      const { items } = (await environment.call('GET', '/api/runs')).json
      return items.at(-1).status === 'succeeded'
    },
    30_000,
  )
  await between.heal()

  for (const job of [cutOff, waits, newest]) {
    const { code, output } = await job.ended
    expect([code, output]).toEqual([0, expect.stringContaining('proven healthy')])
    // Nothing is told twice.
    expect(output.match(/^✓ restart/gm)).toHaveLength(1)
  }
})

test('a Node project is deployed in the same way, installed from its lock file and the kit beside it', async () => {
  const environment = await up(temporaryDirectory())
  const { hook, token, push } = await initialised(environment, 'node')
  const ref = push('README.md', text => `${text}\nOne.\n`)
  const { code, output } = await runJob({ hook, token, ref })
  expect([code, output]).toEqual([
    0,
    expect.stringContaining(`hello now runs ${ref.slice(0, 7)}, proven healthy`),
  ])
  expect(await version(environment)).toBe(ref)
})
