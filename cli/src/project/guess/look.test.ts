import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { operations } from '@quarterdeck/contract'
import { temporaryDirectory } from '@quarterdeck/testing'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { type Answer, projectOf, qd, standIn } from '../../under-test.ts'
import { contentOf, Unreadable } from './clone.ts'

const git = (directory: string, ...args: string[]) =>
  execFileSync('git', ['-C', directory, '-c', 'user.name=A', '-c', 'user.email=a@b', ...args], {
    env: { PATH: process.env.PATH, HOME: '/nowhere', GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString()

/** `acme/hello` on a disk, on the branch trunk. */
function repository(files: Record<string, string | Buffer>, links: Record<string, string> = {}): string {
  const directory = join(temporaryDirectory(), 'acme', 'hello')
  mkdirSync(directory, { recursive: true })
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), content)
  }
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(directory, path))
  git(directory, 'init', '--quiet', '--initial-branch=trunk')
  git(directory, 'add', '--all', '--force')
  git(directory, 'commit', '--quiet', '--allow-empty', '--message', 'feat: begin')
  return directory
}

const created: Answer = ({ body }) => {
  const { start = [], port, processes, ...rest } = operations.createProject.body.schema.parse(body)
  const whole = (processes ?? [{ name: 'web', start, port }]).map(process => ({
    ...{ name: process.name, start: process.start, port: process.port ?? null },
    ...{ timer: process.timer ?? null, socket: process.socket ?? false },
  }))
  return projectOf({ ...rest, paths: rest.paths ?? ['app/'], processes: whole })
}

async function adding(...args: string[]) {
  const { home, asked } = await standIn({
    'POST /api/projects': created,
    'GET /api/openapi.json': () => ({ servers: [] }),
  })
  const [first = '', ...rest] = args
  const ended = await qd('project', 'add', first, '--home', home, ...rest)
  return { ...ended, sent: asked[0]?.body, asked }
}

/** Of this file alone, so that what is left behind is seen. */
beforeEach(() => void vi.stubEnv('TMPDIR', temporaryDirectory()))
afterEach(() => void vi.unstubAllEnvs())

const looks = () => readdirSync(process.env.TMPDIR!).filter(name => name.startsWith('quarterdeck-look-'))

test('a project is added by its address alone, and what was found is told with its reasons', async () => {
  const url = repository({ 'app/__main__.py': '', 'requirements.txt': 'quarterdeck-kit\n' })
  const { code, stderr, stdout, sent } = await adding(url)
  expect([code, stderr.replace(url, 'URL')]).toEqual([
    0,
    [
      'Found in URL:',
      '  name        hello  (from the address)',
      '  repository  acme/hello  (from the address)',
      '  branch      trunk  (what its HEAD names)',
      '  runtime     python  (there is a requirements.txt)',
      '  start       python -m app  (there is app/__main__.py)',
      '  socket      yes  (it uses the kit, or says so itself)',
      '',
    ].join('\n'),
  ])
  expect(sent).toEqual({
    name: 'hello',
    repository: 'acme/hello',
    git_url: url,
    branch: 'trunk',
    runtime: 'python',
    processes: [{ name: 'web', start: ['python', '-m', 'app'], socket: true }],
  })
  expect(stdout).toContain('✓ hello was added')
  expect(looks()).toEqual([])
})

test('what options say goes before what was found', async () => {
  const url = repository({ 'package.json': '{"scripts":{"start":"node x"}}', Procfile: 'web: y\nmailer: z' })
  const { code, sent } = await adding(
    ...[url, '--name', 'other', '--repository', 'a/b', '--branch', 'trunk', '--runtime', 'python'],
    ...['--port', '9000', '--path', 'src/', '--json', '--', 'python', 'w.py'],
  )
  expect(code).toBe(0)
  expect(sent).toEqual({
    ...{ name: 'other', repository: 'a/b', git_url: url, branch: 'trunk', runtime: 'python' },
    paths: ['src/'],
    processes: [
      { name: 'mailer', start: ['z'] },
      { name: 'web', start: ['python', 'w.py'], port: 9000 },
    ],
  })
})

test('a port that its server takes as an argument is put there', async () => {
  const url = repository({ 'main.py': 'app = FastAPI()\n', 'requirements.txt': 'uvicorn\n' })
  const without = await adding(url)
  expect(without).toMatchObject({ code: 3, stderr: expect.stringContaining('Give --port NUMBER.') })
  const { sent } = await adding(url, '--port', '9000')
  expect(sent).toMatchObject({
    paths: ['main.py', 'requirements.txt'],
    processes: [
      { name: 'web', port: 9000, start: ['uvicorn', 'main:app', '--host', '0.0.0.0', '--port', '9000'] },
    ],
  })
})

test.each<[string, Record<string, string>, string]>([
  ['nothing', {}, 'Give --runtime python or --runtime node.'],
  ['nothing to start', { 'requirements.txt': '' }, 'Give its command after `--`'],
])('of %s what is missing is named, and nothing is added', async (_what, files, remedy) => {
  const { code, stderr, asked } = await adding(repository(files), '--yes')
  expect([code, stderr, asked]).toEqual([3, expect.stringContaining(remedy), []])
})

test('a repository that cannot be read from here is left to the options', async () => {
  const url = join(temporaryDirectory(), 'acme', 'hello.git')
  const refused = await adding(url)
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('cannot be read from here: ') })
  const { code, sent } = await adding(url, '--runtime', 'node', '--', 'node', 'x.js')
  expect([code, sent]).toEqual([
    0,
    {
      ...{ name: 'hello', repository: 'acme/hello', git_url: url, runtime: 'node' },
      processes: [{ name: 'web', start: ['node', 'x.js'] }],
    },
  ])
})

test('what a hostile repository holds has no effect', async () => {
  const secret = join(temporaryDirectory(), 'secret')
  writeFileSync(secret, '{"scripts":{"start":"stolen"}}')
  const url = repository(
    {
      'requirements.txt': Buffer.alloc(300 * 1024, 'x\n'),
      'main.py': Buffer.from([0x70, 0, 0xff]),
      Procfile: 'web: \u001b[2Jx\n',
      '.gitattributes': '* filter=evil\n',
      '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = /nowhere\n',
    },
    { 'package.json': secret, app: '/etc' },
  )
  const marker = join(url, 'ran')
  const hook = join(url, '.git/hooks/post-checkout')
  writeFileSync(hook, `#!/bin/sh\ntouch ${marker}\n`)
  chmodSync(hook, 0o755)
  const paths = [
    'package.json',
    'requirements.txt',
    'main.py',
    'Procfile',
    'app/passwd',
    '../secret',
    '/etc/passwd',
  ]
  const { files, branch } = await contentOf(url, paths.slice(0, 5))
  expect([branch, [...files.keys()]]).toEqual(['trunk', ['Procfile']])
  await expect(contentOf(url, paths)).rejects.toThrow(Unreadable)
  const { code, stderr } = await adding(url)
  expect([code, stderr.includes('stolen'), stderr.includes('\u001b[2J')]).toEqual([3, false, false])
  expect(existsSync(marker)).toBe(false)
  expect(looks()).toEqual([])
})

test('a repository that is too large, and one that never comes, are given up', async () => {
  const url = repository({ large: randomBytes(500_000) })
  await expect(contentOf(url, [], { bytes: 400_000 })).rejects.toThrow('too large')
  const silent = createServer(() => undefined)
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as { port: number }
  const never = contentOf(`git://127.0.0.1:${port}/x`, [], { cloneMs: 300 })
  await expect(never).rejects.toThrow('nothing whole came within 0.3 s')
  expect(looks()).toEqual([])
})

test('an empty repository has a branch and nothing else', async () => {
  const directory = join(temporaryDirectory(), 'hello.git')
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=trunk', directory])
  expect(await contentOf(directory, [])).toEqual({ branch: 'trunk', top: [], files: new Map() })
})
