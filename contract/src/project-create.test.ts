import { expect, test } from 'vitest'
import { project, projectDocument } from './project.ts'
import { projectCreate, projectCreateDocument } from './project-create.ts'

const least = {
  name: 'hello',
  repository: 'acme/hello',
  git_url: 'git@git.example.com:acme/hello.git',
  runtime: 'node',
  start: ['node', 'app/main.js'],
}

test('name, repository, address, runtime and start are enough; the rest has defaults', () => {
  expect(projectCreate.parse(least)).toEqual({
    ...least,
    branch: 'main',
    group: 'production',
    machines: [],
    interpreter: null,
    before_restart: null,
    linked_paths: [],
    limits: { fetch_s: 300, install_s: 900, before_restart_s: 600, restart_s: 120 },
    health: { timeout_s: 60 },
    metrics_path: '/metrics',
    description: null,
    depends_on: [],
    runbook: null,
    adopted: null,
  })
})

test.each(Object.keys(least))('without %s it is refused', field => {
  expect(refusedFields({ ...least, [field]: undefined })).toEqual([field])
})

test('a project as it is read back can be sent again', () => {
  const { aliases, held, held_reason, instances, url, created_at, updated_at, ...settings } = project.parse(
    projectDocument.example,
  )
  expect(projectCreate.parse(projectDocument.example)).toEqual(settings)
})

test.each(['', 'Hello', '1st', '-x', '../etc', 'a_b', 'a b', 'hello\n', 'a'.repeat(64)])(
  'the name %j is refused',
  name => {
    expect(refusedFields({ ...least, name })).toEqual(['name'])
  },
)

const adopted = {
  work: '/srv/hello',
  environment: '/srv/hello/node_modules',
  user: 'hello',
  units: { web: 'hello.service' },
}

test('what is adopted names a unit for each process', () => {
  expect(refusedFields({ ...least, adopted })).toEqual([])
  expect(refusedFields({ ...least, adopted: { ...adopted, units: {} } })).toEqual(['adopted'])
  const units = { web: 'hello.service', mailer: 'mailer.service' }
  expect(refusedFields({ ...least, adopted: { ...adopted, units } })).toEqual(['adopted'])
})

test.each([
  { work: 'srv/hello' },
  { work: '/srv/../etc' },
  { environment: '/srv//venv' },
  { units: { web: '--all.service' } },
  { units: { web: 'hello.socket' } },
  { units: { web: 'a b.service' } },
])('what is adopted is a place and a unit: %j is refused', change => {
  expect(refusedFields({ ...least, adopted: { ...adopted, ...change } })).toEqual(['adopted'])
})

const web = { name: 'web', start: ['node', 'app/main.js'] }
const mailer = { name: 'mailer', start: ['node', 'app/mailer.js'] }

test.each([
  { what: 'an empty start', change: { start: [] }, field: 'start' },
  { what: 'start beside processes', change: { processes: [web] }, field: 'start' },
  {
    what: 'a port beside processes',
    change: { start: undefined, port: 80, processes: [web] },
    field: 'port',
  },
  {
    what: 'two processes of one name',
    change: { start: undefined, processes: [web, web] },
    field: 'processes',
  },
  {
    what: 'a worker with a port',
    change: { start: undefined, processes: [web, { ...mailer, port: 81 }] },
    field: 'processes',
  },
  {
    what: 'a web process with a timer',
    change: { start: undefined, processes: [{ ...web, timer: { at: '03:30' } }] },
    field: 'processes',
  },
  {
    what: 'a timer that is two',
    change: { start: undefined, processes: [web, { ...mailer, timer: { at: '03:30', every_s: 60 } }] },
    field: 'processes',
  },
  {
    what: 'a timer at no time',
    change: { start: undefined, processes: [web, { ...mailer, timer: { at: '24:00' } }] },
    field: 'processes',
  },
  { what: 'an interpreter with arguments', change: { interpreter: 'python3 -c x' }, field: 'interpreter' },
  { what: 'a limit of nothing', change: { limits: { fetch_s: 0 } }, field: 'limits' },
  { what: 'a port out of range', change: { port: 65536 }, field: 'port' },
  { what: 'an unknown runtime', change: { runtime: 'perl' }, field: 'runtime' },
  { what: 'a branch that git reads as an option', change: { branch: '--all' }, field: 'branch' },
  { what: 'a path outside the repository', change: { paths: ['/etc/'] }, field: 'paths' },
])('$what is refused', ({ change, field }) => {
  expect(refusedFields({ ...least, ...change })).toEqual([field])
})

test.each([
  'https://git.example.com/acme/hello.git',
  'http://127.0.0.1:3000/acme/hello.git',
  'ssh://git@git.example.com:2222/acme/hello.git',
  'git@git.example.com:acme/hello.git',
  'file:///srv/git/hello.git',
  '/srv/git/hello.git',
])('%s can be fetched from', git_url => {
  expect(refusedFields({ ...projectCreateDocument.example, git_url })).toEqual([])
})

test.each([
  'ext::id',
  'ext::sh -c id',
  '--upload-pack=id',
  'ssh://-oProxyCommand=id/x',
  'git@git.example.com:-x',
  'hello.git',
  'https://ana:secret@git.example.com/acme/hello.git',
])('%s is refused as an address', git_url => {
  expect(refusedFields({ ...least, git_url })).toEqual(['git_url'])
})

test.each(['uploads/', '.env', 'static/media', 'a b', '..a', 'a..'])('%s can be a link into data/', path => {
  expect(refusedFields({ ...least, linked_paths: [path] })).toEqual([])
})

test.each([
  '/etc',
  '..',
  '../x',
  'a/../b',
  'a/..',
  './a',
  'a/./b',
  '.git',
  '.git/hooks',
  'a\nb',
  '',
  'a\u0000',
])('%j is refused as a linked path', path => {
  expect(refusedFields({ ...least, linked_paths: [path] })).toEqual(['linked_paths'])
})

function refusedFields(body: unknown): unknown[] {
  const fields = projectCreate.safeParse(body).error?.issues.map(({ path }) => path[0])
  return [...new Set(fields)]
}
