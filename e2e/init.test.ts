/** A developer begins a project with `qd init`, and has a service that installs offline, tests itself and keeps every rule. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, onTerminal, temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { qd } from './environment.ts'

/** Nothing of the network, and nothing of this user’s settings. */
const offline = {
  PIP_NO_INDEX: '1',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  npm_config_offline: 'true',
  npm_config_userconfig: '/dev/null',
}

/** The home of somebody whom git knows. */
function developer(settings = '[user]\nname = Ana\nemail = ana@example.com\n'): string {
  const home = temporaryDirectory()
  writeFileSync(join(home, '.gitconfig'), settings)
  return home
}

/** The Node of these tests goes before any other. */
const path = `${join(process.execPath, '..')}:${process.env.PATH}`

/** Programs that are run in a directory. */
function begun(directory: string, home = developer()) {
  const env = { PATH: path, HOME: home, GIT_CONFIG_NOSYSTEM: '1', ...offline }
  const options = { cwd: directory, encoding: 'utf8', env } as const
  return {
    run: (file: string, ...args: string[]) => execFileSync(file, args, { ...options, stdio: 'pipe' }).trim(),
    exit: (file: string, ...args: string[]) => spawnSync(file, args, options),
    options,
  }
}

const init = (home: string, ...args: string[]) =>
  begun('/', home).exit(process.execPath, join(import.meta.dirname, '../cli/src/main.ts'), 'init', ...args)

const kinds = {
  python: {
    install: [
      ['/usr/bin/python3', '-m', 'venv', '.venv'],
      ['.venv/bin/pip', 'install', '--quiet', '-r', 'requirements.txt'],
    ],
    test: [
      '.venv/bin/python',
      '-m',
      'unittest',
      'discover',
      '--start-directory',
      'tests',
      '--top-level-directory',
      '.',
    ],
    start: ['.venv/bin/python', '-m', 'app'],
  },
  node: {
    install: [['npm', 'ci', '--no-audit', '--no-fund']],
    test: ['npm', 'test'],
    start: ['node', 'app/main.js'],
  },
}

test.each(Object.entries(kinds))(
  '%s: from qd init to a service that passes qd check',
  async (runtime, kind) => {
    const [directory, home] = [join(temporaryDirectory(), 'greeter'), developer()]
    const made = init(home, directory, '--runtime', runtime, '--repository', 'tide/greeter')
    expect(made, made.stderr).toMatchObject({ status: 0, stdout: expect.stringContaining('greeter') })
    expect(made.stdout).toContain(
      `qd project add greeter --repository tide/greeter --git https://github.com/tide/greeter.git --runtime ${runtime}`,
    )
    const { run, exit, options } = begun(directory, home)

    // Whole, its own, readable by others as this user’s files are, and in git.
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
      file => !file.startsWith('.git/') && statSync(join(directory, file)).isFile(),
    )
    for (const file of files) {
      expect([file, /hello-quarterdeck|acme/.test(readFileSync(join(directory, file), 'latin1'))]).toEqual([
        file,
        false,
      ])
    }
    expect(statSync(join(directory, 'README.md')).mode & 0o777).toBe(
      0o666 & ~process.umask(process.umask(0o022)),
    )
    expect(run('git', 'ls-files').split('\n').sort()).toEqual(files.sort())
    expect(run('git', 'status', '--porcelain')).toBe('')
    expect(run('git', 'log', '--format=%s %D')).toMatch(/^feat: begin greeter as a \w+ service HEAD -> main$/)

    for (const [file, ...args] of kind.install) run(file!, ...args)
    const [testFile, ...testArgs] = kind.test
    expect(exit(testFile!, ...testArgs)).toMatchObject({ status: 0 })
    // What was installed and tested is nothing to commit: the lock file is as npm would write it.
    if (runtime === 'node') run('npm', 'install', '--no-audit', '--no-fund')
    expect(run('git', 'status', '--porcelain')).toBe('')

    const port = String(await freePort())
    const [file, ...args] = kind.start
    const service = spawn(
      join(directory, file!).startsWith(`${directory}/.venv`) ? join(directory, file!) : file!,
      args,
      {
        ...options,
        env: { ...options.env, PORT: port },
      },
    )
    const ended = new Promise(resolve => service.once('exit', resolve))
    onTestFinished(() => void service.kill('SIGKILL'))
    const url = `http://127.0.0.1:${port}`
    await until('it serves', async () => (await fetch(url).catch(() => null))?.ok)
    const head = run('git', 'rev-parse', 'HEAD')
    const checked = await qd('check', url, '--name', 'greeter', '--sha', head, '--metrics')
    expect(checked, checked.stdout).toMatchObject({ code: 0 })
    expect(await (await fetch(`${url}/slug?title=Hello,+world`)).json()).toMatchObject({
      slug: 'hello-world',
    })
    expect(await (await fetch(`${url}/metrics`)).text()).toContain(
      'http_requests_total{method="GET",endpoint="/slug"} 1',
    )
    service.kill('SIGTERM')
    expect(await ended).toBe(0)

    writeFileSync(join(directory, 'notes.txt'), 'x')
    run('git', 'add', 'notes.txt')
    const refused = exit('git', 'commit', '--message', 'Added notes')
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining('Commit message not accepted'),
    ])
    expect(exit('git', 'commit', '--message', 'docs: add notes').status).toBe(0)
  },
)

test('in a repository that is there already nothing is committed, and the name of origin is taken', async () => {
  const [directory, home] = [temporaryDirectory(), developer()]
  const { run } = begun(directory, home)
  run('git', 'init', '--quiet', '--initial-branch=main')
  run('git', 'remote', 'add', 'origin', 'https://ana:hidden@git.example.com/tide/lookout.git')
  writeFileSync(join(directory, 'LICENSE'), 'mine')
  const made = init(home, directory, '--runtime', 'python', '--name', 'lookout', '--json')
  expect(made.status, made.stderr).toBe(0)
  expect(JSON.parse(made.stdout)).toMatchObject({
    name: 'lookout',
    repository: 'tide/lookout',
    forge: 'git.example.com',
    git: { state: 'inside' },
  })
  expect(made.stdout).not.toContain('hidden')
  const readme = readFileSync(join(directory, 'README.md'), 'utf8')
  expect(readme).toContain('--git https://git.example.com/tide/lookout.git')
  expect(readme).not.toContain('hidden')
  expect(run('git', 'status', '--porcelain')).toMatch(/^\?\? /m)
  expect(existsSync(join(directory, 'LICENSE'))).toBe(true)
})

test('where git does not know who commits, the project is whole, and the command that is left is told', () => {
  const directory = join(temporaryDirectory(), 'lookout')
  const made = init(developer('[user]\nuseConfigOnly = true\n'), directory, '--yes')
  expect([made.status, made.stdout]).toEqual([
    0,
    expect.stringContaining('There is no first commit: git does not know your name and e-mail address.'),
  ])
  expect(made.stdout).toContain("git commit --message 'feat: begin lookout as a Python service'")
  expect(existsSync(join(directory, 'app/__main__.py'))).toBe(true)
  // Everything is staged already.
  begun(directory).run('git', 'commit', '--message', 'feat: begin lookout as a Python service')
  expect(begun(directory).run('git', 'status', '--porcelain')).toBe('')
})

test('a program that is missing is named, and nothing is written', () => {
  const [base, bin] = [temporaryDirectory(), temporaryDirectory()]
  symlinkSync(process.execPath, join(bin, 'node'))
  const main = join(import.meta.dirname, '../cli/src/main.ts')
  for (const [runtime, program] of [
    ['python', 'python3'],
    ['node', 'npm'],
  ]) {
    const args = [main, 'init', join(base, 'hello'), '--runtime', runtime!]
    const made = spawnSync(process.execPath, args, { encoding: 'utf8', env: { PATH: bin } })
    expect([made.status, made.stderr]).toEqual([3, expect.stringContaining(`${program} is not installed`)])
  }
  expect(readdirSync(base)).toEqual([])
})

/** `qd init` of the developer with this home. */
const initOnTerminal = (home: string, args: string[], answers: [question: string, keys: string][]) =>
  onTerminal(
    [process.execPath, join(import.meta.dirname, '../cli/src/main.ts'), 'init', ...args],
    answers,
    begun('/', home).options.env,
  )

test('on a terminal it asks for what no option says, and Ctrl+C makes nothing', async () => {
  const [base, home] = [temporaryDirectory(), developer()]
  const directory = join(base, 'My Lookout')
  const broken = await initOnTerminal(home, [directory], [['What is it written in?', '\x03']])
  expect([broken.code, broken.screen]).toEqual([130, expect.stringContaining('Nothing was made.')])
  expect(readdirSync(base)).toEqual([])
  const made = await initOnTerminal(
    home,
    [directory, '--runtime', 'python'],
    [
      ['What is the project’s name?', '\r'],
      ['Which repository of the forge', 'tide/lookout\r'],
    ],
  )
  expect(made).toMatchObject({ code: 0, screen: expect.stringContaining('my-lookout') })
  expect(made.screen).not.toContain('What is it written in?')
  expect(readFileSync(join(directory, 'README.md'), 'utf8')).toContain('--repository tide/lookout')
})
