import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { projectOf, qd, standIn } from '../../under-test.ts'

/** A terminal of 120 columns, on which each question gets its answer. */
function onTerminal(args: string[], answers: [question: string, keys: string][]) {
  const main = join(import.meta.dirname, '../../main.ts')
  const python = 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)'
  const wide = ['sh', '-c', 'stty cols 120 rows 40; exec "$@"', 'sh']
  const child = spawn('python3', ['-c', python, ...wide, process.execPath, main, ...args], {
    env: { PATH: process.env.PATH, TERM: 'xterm' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const left = [...answers]
  let screen = ''
  child.stdout.setEncoding('utf8').on('data', piece => {
    screen += piece
    const [question, keys] = left[0] ?? []
    if (!question || !screen.includes(question)) return
    left.shift()
    child.stdin.write(keys!)
  })
  return new Promise<{ code: number | null; screen: string }>(resolve =>
    child.once('close', code => resolve({ code, screen })),
  )
}

test('on a terminal it asks only for what it could not know, and Ctrl+C adds nothing', async () => {
  const url = join(temporaryDirectory(), 'hello.git')
  const work = temporaryDirectory()
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', work, '-c', 'user.name=A', '-c', 'user.email=a@b', ...args])
  git('init', '--quiet', '--initial-branch=main')
  writeFileSync(join(work, 'requirements.txt'), '')
  writeFileSync(join(work, 'Dockerfile'), 'CMD ["python", "serve.py"]\n')
  git('add', '.')
  git('commit', '--quiet', '--message', 'feat: begin')
  git('clone', '--quiet', '--bare', work, url)
  const { home, asked } = await standIn({
    'POST /api/projects': () => projectOf(),
    'GET /api/openapi.json': () => ({ servers: [] }),
  })
  const args = ['project', 'add', url, '--repository', 'acme/hello', '--home', home]
  const broken = await onTerminal(args, [['How is it started?', '\x03']])
  expect([broken.code, broken.screen]).toEqual([130, expect.stringContaining('Nothing was added.')])
  expect(asked).toEqual([])
  const added = await onTerminal(args, [['How is it started?', ' --all\r']])
  expect(added).toMatchObject({ code: 0, screen: expect.stringContaining('hello was added') })
  expect(added.screen).not.toMatch(/written in|the project’s name|Which port/)
  expect(asked[0]?.body).toMatchObject({
    name: 'hello',
    runtime: 'python',
    processes: [{ name: 'web', start: ['python', 'serve.py', '--all'] }],
  })
})

test.each(['python', 'node'])(
  'what qd init makes of %s is added by nothing but its address',
  async runtime => {
    const directory = join(temporaryDirectory(), 'acme', 'tides')
    vi.stubEnv('GIT_AUTHOR_NAME', 'A').stubEnv('GIT_AUTHOR_EMAIL', 'a@b')
    vi.stubEnv('GIT_COMMITTER_NAME', 'A').stubEnv('GIT_COMMITTER_EMAIL', 'a@b')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await qd('init', directory, '--runtime', runtime, '--yes')).toMatchObject({ code: 0 })
    const { home, asked } = await standIn({
      'POST /api/projects': () => projectOf(),
      'GET /api/openapi.json': () => ({ servers: [] }),
    })
    const { code, stderr } = await qd('project', 'add', directory, '--home', home)
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('!')])
    const start = runtime === 'python' ? ['python', '-m', 'app'] : ['node', 'app/main.js']
    expect(asked[0]?.body).toEqual({
      ...{ name: 'tides', repository: 'acme/tides', git_url: directory, branch: 'main', runtime },
      processes: [{ name: 'web', start, socket: true }],
    })
  },
)
