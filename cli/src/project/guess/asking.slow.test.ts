import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { projectOf, qd, qdOnTerminal, standIn } from '../../under-test.ts'

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
  const broken = await qdOnTerminal(args, [['How is it started?', '\x03']])
  expect([broken.code, broken.screen]).toEqual([130, expect.stringContaining('Nothing was added.')])
  expect(asked).toEqual([])
  const added = await qdOnTerminal(args, [['How is it started?', ' --all\r']])
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
