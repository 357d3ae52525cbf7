import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { projectOf, standIn } from '../../under-test.ts'

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
