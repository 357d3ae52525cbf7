import { randomUUID } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { endGroup, findTagged } from './processes.ts'
import { launch, type RunOptions, run } from './runner.ts'

const env = { PATH: process.env.PATH ?? '' }

function inTest(options: Partial<RunOptions> = {}) {
  const tag = `test:${randomUUID()}`
  onTestFinished(async () => {
    for (const { pgid } of findTagged(tag)) await endGroup(pgid, { graceMs: 0 })
  })
  return { signal: new AbortController().signal, timeoutMs: 10_000, tag, ...options }
}

const shell = (script: string, input?: string) => ({
  file: '/bin/sh',
  args: ['-c', script],
  cwd: '/',
  env,
  ...(input === undefined ? {} : { input }),
})

const node = (script: string) => ({ file: process.execPath, args: ['-e', script], cwd: '/', env })

test('a program runs to its end, and both its streams are read', async () => {
  const lines: string[] = []
  const options = inTest({ onLine: line => lines.push(line) })
  const finished = await run(shell('echo out; echo err >&2; echo last; exit 3'), options)
  expect(finished).toEqual({
    code: 3,
    signal: null,
    stdout: 'out\nlast\n',
    stderr: 'err\n',
    timedOut: false,
    cancelled: false,
  })
  expect(lines.sort()).toEqual(['err', 'last', 'out'])
})

test('it gets its input, its directory and its environment, and nothing else', async () => {
  const cwd = temporaryDirectory()
  const options = inTest()
  const program = { ...shell('cat; pwd; exec /usr/bin/env', 'hello\n'), cwd, env: { ONLY: 'this' } }
  const { stdout } = await run(program, options)
  const [input, directory, ...variables] = stdout.trim().split('\n')
  expect([input, directory]).toEqual(['hello', cwd])
  expect(variables.filter(line => !/^(PWD|_|SHLVL|OLDPWD)=/.test(line)).sort()).toEqual([
    'ONLY=this',
    `QUARTERDECK_TAG=${options.tag}`,
  ])
  expect((await run(shell('cat'), inTest())).stdout).toBe('')
})

test('input that nobody reads is no error', async () => {
  expect((await run(shell('exit 0', 'x'.repeat(1_000_000)), inTest())).code).toBe(0)
})

test('a program that does not exist or may not be run says so', async () => {
  const file = join(temporaryDirectory(), 'plain')
  await expect(run({ ...shell(''), file }, inTest())).rejects.toMatchObject({ code: 'ENOENT' })
  writeFileSync(file, '', { mode: 0o600 })
  await expect(run({ ...shell(''), file }, inTest())).rejects.toMatchObject({ code: 'EACCES' })
  const logFile = `${file}.log`
  await expect(launch({ ...shell(''), file }, { logFile, tag: 'x' })).rejects.toMatchObject({
    code: 'EACCES',
  })
})

test('when the time is up, it is ended with its children', async () => {
  const options = inTest({ timeoutMs: 300 })
  const finished = await run(shell('echo begun; sleep 1000 & sleep 1000'), options)
  expect(finished).toMatchObject({ timedOut: true, cancelled: false, signal: 'SIGTERM', stdout: 'begun\n' })
  expect(findTagged(options.tag)).toEqual([])
})

test('cancelled, it is ended, and what ignores SIGTERM is killed after 3 seconds', async () => {
  const cancel = new AbortController()
  const options = inTest({ signal: cancel.signal, onLine: () => cancel.abort() })
  const script = 'trap "" TERM; echo ready; while :; do sleep 0.05; done'
  const finished = await run(shell(script), options)
  expect(finished).toMatchObject({ timedOut: false, cancelled: true, signal: 'SIGKILL' })
  expect(findTagged(options.tag)).toEqual([])
})

test('cancelled before it began, it is never started', async () => {
  const file = join(temporaryDirectory(), 'made')
  const finished = await run(shell(`touch ${file}`), inTest({ signal: AbortSignal.abort() }))
  expect(finished).toMatchObject({ cancelled: true, code: null })
  expect(() => statSync(file)).toThrow('ENOENT')
})

test('a grandchild that holds the pipe does not hold us, and is ended', async () => {
  const options = inTest()
  const finished = await run(shell('sleep 1000 & echo done'), options)
  expect(finished).toMatchObject({ code: 0, stdout: 'done\n', timedOut: false })
  expect(findTagged(options.tag)).toEqual([])
})

test('one that has left the group and holds the pipe does not hold us either', async () => {
  const script = `
    require('node:child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'inherit' }).unref()
    console.log('done')
  `
  const options = inTest()
  expect(await run(node(script), options)).toMatchObject({ code: 0, stdout: 'done\n' })
  expect(findTagged(options.tag)).toHaveLength(1)
})

test('a line of many megabytes is cut, and the capture has its limit', async () => {
  const lines: string[] = []
  const options = inTest({ onLine: line => lines.push(line), maxCaptureBytes: 1000 })
  const script = `process.stdout.write('x'.repeat(5_000_000)); process.stderr.write('\\nnext')`
  const { stdout, stderr } = await run(node(script), options)
  expect(stdout).toBe('x'.repeat(1000))
  expect(stderr).toBe('\nnext')
  expect(lines).toContain(`${'x'.repeat(4096)} … (${5_000_000 - 4096} bytes more)`)
})

test('hostile bytes come out as harmless lines', async () => {
  const lines: string[] = []
  const options = inTest({ onLine: line => lines.push(line) })
  await run(shell(String.raw`printf 'a\377b\033[31mred\000\nBearer abcd1234efgh\n'`), options)
  expect(lines).toEqual(['a\ufffdbred␀', 'Bearer ***'])
})

test('a launched program writes to its log, which only we can read, and tells its exit', async () => {
  const logFile = join(temporaryDirectory(), 'log')
  writeFileSync(logFile, 'before\n', { mode: 0o600 })
  const { exited } = await launch(shell('echo out; echo err >&2; exit 4'), { logFile, tag: inTest().tag })
  expect(await exited).toEqual({ code: 4, signal: null })
  expect(readFileSync(logFile, 'utf8')).toBe('before\nout\nerr\n')
  const other = `${logFile}.2`
  await (await launch(shell('exit 0'), { logFile: other, tag: inTest().tag })).exited
  expect(statSync(other).mode & 0o777).toBe(0o600)
})

test('a launched program has a session of its own', async () => {
  const { tag } = inTest()
  const { pid } = await launch(shell('exec sleep 1000'), { logFile: '/dev/null', tag })
  await until('it runs', () => findTagged(tag).length === 1)
  expect(findTagged(tag)).toEqual([{ pid, pgid: pid, tag }])
})
