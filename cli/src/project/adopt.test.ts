import { expect, test } from 'vitest'
import { projectOf, qd, standIn } from '../under-test.ts'

const found = {
  machine: 'web-1',
  unit: 'hello.service',
  description: 'Hello',
  state: 'active',
  user: 'hello',
  start: ['/srv/hello/venv/bin/python', '-m', 'app'],
  work: '/srv/hello',
  git_url: 'git@git.example.com:acme/hello.git',
  branch: 'main',
  sha: 'a'.repeat(40),
  runtime: 'python',
  environment: '/srv/hello/venv',
  interpreter: '/usr/bin/python3.11',
  port: 8000,
  obstacles: [],
}
const mailer = { ...found, unit: 'hello-mailer.service', port: null }
const stopped = {
  ...found,
  unit: 'old.service',
  state: 'failed',
  obstacles: ['old.service is failed: start it first.'],
}
const plainUnit = {
  ...found,
  unit: 'node_exporter.service',
  work: null,
  obstacles: ['It has no working copy.'],
}

const routes = {
  'GET /api/candidates': () => ({ items: [found, mailer, stopped, plainUnit], next_cursor: null }),
  'POST /api/projects': () => projectOf(),
  'GET /api/openapi.json': () => ({ servers: [{ url: 'http://admin.localhost:8300' }] }),
}

const adopt = async (...args: string[]) => {
  const { home, asked } = await standIn(routes)
  const ended = await qd('project', 'adopt', ...args, '--home', home)
  return { ...ended, body: asked.find(({ route }) => route.startsWith('POST'))?.body }
}

test('a scan tells what can be adopted, and why the rest cannot', async () => {
  const { stdout } = await adopt('--scan')
  expect(stdout).toMatch(/hello\.service +web-1 +active +python +\/srv\/hello +8000 +yes/)
  expect(stdout).toContain('In the way:\n  old.service is failed: start it first.\n')
  expect(stdout).toContain('1 more unit does not run from a working copy (--all).')
  expect(stdout).toContain('Adopt one: qd project adopt hello.service')
  expect((await adopt('--scan', '--all')).stdout).toContain('node_exporter.service')
})

test('a unit says almost everything of the project itself', async () => {
  const { code, body } = await adopt('hello', '--yes', '--worker', 'mailer=hello-mailer.service')
  expect(code).toBe(0)
  expect(body).toEqual({
    name: 'hello',
    repository: 'acme/hello',
    git_url: 'git@git.example.com:acme/hello.git',
    branch: 'main',
    machines: ['web-1'],
    runtime: 'python',
    interpreter: '/usr/bin/python3.11',
    processes: [
      { name: 'web', start: found.start, port: 8000 },
      { name: 'mailer', start: found.start },
    ],
    adopted: {
      work: '/srv/hello',
      environment: '/srv/hello/venv',
      user: 'hello',
      units: { web: 'hello.service', mailer: 'hello-mailer.service' },
    },
  })
})

test.each([
  [[], 'Nothing says which unit is to be adopted.'],
  [['missing', '--yes'], 'There is no unit missing.service that others have made.'],
  [['old', '--yes'], 'old.service is failed: start it first.'],
  [['hello', '--yes', '--socket'], '--socket is not for adopted units.'],
  [['hello', '--yes', '--worker', 'mailer'], '--worker mailer does not say which unit.'],
  [['hello'], 'This needs a confirmation'],
])('%j is refused with a sentence', async (args, sentence) => {
  const { code, stderr, body } = await adopt(...args)
  expect([code === 0, body]).toEqual([false, undefined])
  expect(stderr).toContain(sentence)
})
