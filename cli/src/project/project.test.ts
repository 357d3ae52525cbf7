import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from '@quarterdeck/contract'
import { expect, test } from 'vitest'
import { type Answer, projectOf, qd, runOf, standIn, startQd } from '../under-test.ts'

const created: Answer = ({ body }) => {
  const { start = [], port = 8101, processes, ...rest } = operations.createProject.body.schema.parse(body)
  const given = processes ?? [{ name: 'web', start, port }]
  const whole = given.map(({ port = null, timer = null, socket = false, ...process }) => ({
    ...process,
    port,
    timer,
    socket,
  }))
  return projectOf({ ...rest, paths: rest.paths ?? ['app/'], processes: whole })
}

const routes = {
  'POST /api/projects': created,
  'GET /api/openapi.json': () => ({ servers: [{ url: 'http://admin.localhost:8300' }] }),
  'GET /api/projects/hello': () => projectOf(),
  'PATCH /api/projects/hello': () => projectOf(),
}

const repository = ['--repository', 'acme/hello', '--git', 'https://github.com/acme/hello.git']

test('a project is added, and the way to the first deploy is told', async () => {
  const { home, asked } = await standIn(routes)
  const { code, stdout } = await startQd([
    'project',
    'add',
    'hello',
    ...repository,
    '--port',
    '8101',
    '--home',
    home,
    '--',
    'python',
    '-m',
    'app',
  ]).ended
  expect(code).toBe(0)
  expect(asked[0]?.body).toEqual({
    name: 'hello',
    repository: 'acme/hello',
    git_url: 'https://github.com/acme/hello.git',
    runtime: 'python',
    processes: [{ name: 'web', start: ['python', '-m', 'app'], port: 8101 }],
  })
  expect(stdout).toContain('✓ hello was added: acme/hello, branch main, on every machine of production')
  expect(stdout).toContain('   qd token create hello --label ci\n')
  expect(stdout).toContain(
    '   curl --fail-with-body -X POST http://admin.localhost:8300/api/deploy/hello \\\n',
  )
  expect(stdout).toContain(`-d '{"ref":"'"$(git rev-parse HEAD)"'","project":"acme/hello"}'`)
})

test('every setting has its option', async () => {
  const { home, asked } = await standIn(routes)
  const { code } = await qd(
    ...[
      'project',
      'add',
      'hello',
      ...repository,
      '--home',
      home,
      '--branch',
      'stable',
      '--group',
      'development',
    ],
    ...['--machine', 'web-1', '--machine', 'web-2', '--runtime', 'node', '--interpreter', 'node24'],
    ...[
      '--process',
      "mailer=node 'mail box.ts'",
      '--process',
      'tidy=node tidy.ts',
      '--timer',
      'tidy=at:03:30',
    ],
    ...[
      '--before-restart',
      'node migrate.ts',
      '--link',
      'uploads/',
      '--link',
      '.env',
      '--health-timeout',
      '20',
    ],
    ...['--limit', 'fetch=120', '--limit', 'before-restart=5', '--metrics-path', '/m', '--path', 'src/'],
    ...['--runbook', 'runbooks/hello', '--', 'node', 'main.ts'],
  )
  expect(asked[0]?.body).toEqual({
    name: 'hello',
    repository: 'acme/hello',
    git_url: 'https://github.com/acme/hello.git',
    branch: 'stable',
    group: 'development',
    machines: ['web-1', 'web-2'],
    runtime: 'node',
    interpreter: 'node24',
    processes: [
      { name: 'web', start: ['node', 'main.ts'] },
      { name: 'mailer', start: ['node', 'mail box.ts'] },
      { name: 'tidy', start: ['node', 'tidy.ts'], timer: { at: '03:30' } },
    ],
    before_restart: ['node', 'migrate.ts'],
    linked_paths: ['uploads/', '.env'],
    health: { timeout_s: 20 },
    limits: { fetch_s: 120, before_restart_s: 5 },
    metrics_path: '/m',
    paths: ['src/'],
    runbook: 'runbooks/hello',
  })
  expect(code).toBe(0)
})

test('a document that was shown can be added under another name', async () => {
  const { home, asked } = await standIn(routes)
  const file = join(home, 'project.json')
  writeFileSync(file, (await qd('project', 'show', 'hello', '--home', home, '--json')).stdout)
  const { code } = await qd(
    'project',
    'add',
    'copy',
    '--file',
    file,
    '--branch',
    'next',
    '--home',
    home,
    '--json',
  )
  expect(code).toBe(0)
  expect(asked.find(({ route }) => route === 'POST /api/projects')?.body).toMatchObject({
    name: 'copy',
    branch: 'next',
    processes: projectOf().processes,
  })
})

test.each([
  [['add', 'x', '--', 'run'], 3, 'A project needs --repository and --git.'],
  [['add', 'x', ...repository], 3, 'Nothing says how the project is started.'],
  [
    ['add', 'x', ...repository, '--timer', 'tidy=every:60', '--', 'run'],
    3,
    'no process tidy to give a timer to',
  ],
  [['add', 'x', '--process', 'mailer'], 2, 'It must be of the form NAME=PROGRAM ARGUMENTS.'],
  [['add', 'x', '--process', "mailer='a"], 2, 'A quote in it is not closed.'],
  [['add', 'x', '--timer', 'tidy=daily'], 2, 'It must be such as NAME=every:600'],
  [['add', 'x', '--limit', 'verify=5'], 2, 'the limit of verify is --health-timeout'],
  [['add', 'x', '--file', '/nowhere.json'], 3, 'No project could be read from /nowhere.json'],
  [['set', 'hello'], 3, 'Nothing was said to change of hello.'],
])('%j is refused with %i', async (args, expected, sentence) => {
  const { home } = await standIn(routes)
  const [verb = '', name = '', ...rest] = args
  const { code, stderr } = await qd('project', verb, name, '--home', home, ...rest)
  expect(stderr).toContain(sentence)
  expect(code).toBe(expected)
})

test('only what is given is changed', async () => {
  const { home, asked } = await standIn(routes)
  const { stdout } = await qd('project', 'set', 'hello', '--no-runbook', '--branch', 'next', '--home', home)
  expect(asked.map(({ route, body }) => [route, body])).toEqual([
    ['PATCH /api/projects/hello', { branch: 'next', runbook: null }],
  ])
  expect(stdout).toContain('✓ hello was changed: branch, runbook.')
})

test('limits and processes are merged with what is there', async () => {
  const { home, asked } = await standIn(routes)
  await qd(
    ...['project', 'set', 'hello', '--limit', 'fetch=120', '--process', 'worker=python -m work'],
    ...['--timer', 'tidy=every:600', '--remove-process', 'mailer', '--port', '9000', '--home', home],
  )
  expect(asked[1]?.body).toEqual({
    limits: { fetch_s: 120, install_s: 900, before_restart_s: 600, restart_s: 120 },
    processes: [
      { name: 'web', start: ['python', '-m', 'app'], port: 9000, timer: null, socket: true },
      {
        name: 'tidy',
        start: ['python', '-m', 'app.tidy'],
        port: null,
        timer: { every_s: 600 },
        socket: false,
      },
      { name: 'worker', start: ['python', '-m', 'work'] },
    ],
  })
})

test('what the repository itself says is shown with the project', async () => {
  const in_repository = {
    processes: [
      { name: 'web', start: ['python', '-m', 'app'], timer: null, socket: false },
      { name: 'tidy', start: ['python', '-m', 'app.tidy'], timer: { at: '03:30' }, socket: false },
    ],
    before_restart: null,
    linked_paths: ['uploads/'],
  }
  const [instance] = projectOf().instances
  const { home } = await standIn({
    'GET /api/projects/hello': () => projectOf({ instances: [{ ...instance!, in_repository }] }),
    'GET /api/projects/hello/runs': () => ({ items: [], next_cursor: null }),
  })
  const { stdout } = await qd('project', 'show', 'hello', '--home', home)
  expect(stdout).toContain(
    [
      '  In repository   deploy/quarterdeck.yaml goes before the settings here:',
      '                  web             python -m app',
      '                  tidy            python -m app.tidy, daily at 03:30 UTC',
      '                  before restart  nothing',
      '                  kept paths      uploads/',
      '',
    ].join('\n'),
  )
})

test('a project is shown with what is in place and its last run', async () => {
  const { home } = await standIn({
    'GET /api/projects/hello': () => projectOf({ held: true, held_reason: 'the sale' }),
    'GET /api/projects/hello/runs': () => ({ items: [runOf()], next_cursor: null }),
  })
  const { stdout } = await qd('project', 'show', 'hello', '--home', home)
  expect(stdout).toMatchInlineSnapshot(`
    "hello  held (the sale): pushes wait until \`qd resume hello\`
      Address         https://hello.example.com
      Repository      acme/hello, branch main
      Fetched from    https://github.com/acme/hello.git
      Runs on         web-1
      In place        web-1  4f0c2ad  web running, pid 4711, since 2026-03-02T09:14:06Z
      Last run        7f60e113, deploy of 4f0c2ad failed, accepted 2026-03-02T09:14:05Z
      Runtime         python
      Processes       web     python -m app         port 8101, by socket
                      mailer  python -m app.mailer
                      tidy    python -m app.tidy    daily at 03:30 UTC
      Before restart  python -m app.migrate
      Kept paths      uploads/
      Deployed for    app/, deploy/, requirements.txt
      Time limits     fetch 300 s, install 900 s, before_restart 600 s, restart 120 s, verify 60 s
      Metrics         /metrics
      Runbook         https://docs.example.com/runbooks/hello
    "
  `)
})

test('projects are listed with their state', async () => {
  const { home } = await standIn({
    'GET /api/projects': ({ route }) =>
      route.includes('cursor=more')
        ? { items: [projectOf({ name: 'new', instances: [], url: null })], next_cursor: null }
        : { items: [projectOf({ held: true })], next_cursor: 'more' },
  })
  const { stdout } = await qd('project', 'list', '--home', home)
  expect(stdout).toMatchInlineSnapshot(`
    "PROJECT  REPOSITORY  GROUP       STATE          COMMIT   ADDRESS
    hello    acme/hello  production  running, held  4f0c2ad  https://hello.example.com
    new      acme/hello  production  not deployed   –        –
    "
  `)
})

test('a project is archived only when someone says so', async () => {
  const { home, asked } = await standIn({ ...routes, 'DELETE /api/projects/hello': () => undefined })
  const refused = await qd('project', 'archive', 'hello', '--home', home)
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('Say it with --yes.') })
  expect(asked.map(({ route }) => route)).toEqual(['GET /api/projects/hello'])
  expect(await qd('project', 'archive', 'hello', '--yes', '--home', home)).toMatchObject({
    code: 0,
    stdout: '✓ hello was archived.\n',
  })
  expect(asked.at(-1)?.route).toBe('DELETE /api/projects/hello')
})

test('what it is and what it depends on are said, shown and taken away', async () => {
  const { home, asked, routes: now } = await standIn({ ...routes })
  const set = (...args: string[]) => qd('project', 'set', 'hello', '--home', home, ...args)
  await set('--description', 'Greets everybody', '--depends-on', 'database', '--depends-on', 'auth')
  await set('--no-description', '--no-depends-on')
  expect(asked.map(({ body }) => body)).toEqual([
    { description: 'Greets everybody', depends_on: ['database', 'auth'] },
    { description: null, depends_on: [] },
  ])
  now['GET /api/projects/hello/runs'] = () => ({ items: [], next_cursor: null })
  now['GET /api/projects/hello'] = () =>
    projectOf({ description: 'Greets', depends_on: ['database', 'auth'] })
  const { stdout } = await qd('project', 'show', 'hello', '--home', home)
  expect(stdout).toMatch(/Description +Greets\n/)
  expect(stdout).toMatch(/Depends on +database, auth\n/)
})
