import { until } from '@quarterdeck/testing'
import pc from 'picocolors'
import { expect, test } from 'vitest'
import { api } from '../api.ts'
import { projectOf, qd, runOf, sse, standIn, startQd, succeeded } from '../under-test.ts'
import { followRun } from './follow.ts'
import { Progress } from './progress.ts'

const id = runOf().id
const page = (...items: unknown[]) => ({ items, next_cursor: null })

test('runs are listed as a table that fits 100 columns', async () => {
  const by = 'token:a label that is far too long for a table of runs'
  const { home, asked } = await standIn({
    'GET /api/runs': () =>
      page(
        runOf(),
        succeeded({ trigger: { by, from: null }, project: 'a-rather-long-project-name', kind: 'rollback' }),
      ),
    'GET /api/projects/new/runs': () => page(),
  })
  const { stdout } = await qd('runs', '--limit', '5', '--home', home)
  expect(stdout).toMatchInlineSnapshot(`
    "RUN       PROJECT          KIND      STATUS     COMMIT   BY               ACCEPTED              TOOK
    7f60e113  hello            deploy    failed     4f0c2ad  token:ci         2026-03-02T09:14:05Z  48 s
    7f60e113  a-rather-long-…  rollback  succeeded  4f0c2ad  token:a label …  2026-03-02T09:14:05Z  48 s
    "
  `)
  expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(100)
  expect(asked[0]?.route).toBe('GET /api/runs?limit=5')
  expect((await qd('runs', 'new', '--home', home)).stdout).toBe('new has no runs yet.\n')
})

test('a run is shown with its steps, its error and what runs again', async () => {
  const { home } = await standIn({ 'GET /api/runs': () => page(runOf()) })
  const { stdout } = await qd('run', '7f60e113', '--home', home)
  expect(stdout).toMatchInlineSnapshot(`
    "hello: deploy 7f60e113
      Id         019cadd3-7f48-7c1e-9a40-5d2b7f60e113
      Status     failed
      Asked for  4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394
      Commit     4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394
      By         token:ci from 203.0.113.9
      Accepted   2026-03-02T09:14:05Z
      Took       48 s
      Steps      ✓ fetch    web-1  1.2 s  main merged, fast-forward, 3 commits
                 – install  web-1         skipped: the dependency list has not changed
                 ✓ restart  web-1  1.6 s  hello.service restarted
                 ✗ verify   web-1  45 s   process exited with code 1 after 2 s
      Error      hello exited with code 1 on web-1, 2 s after its restart. (verify_failed)
      Restored   9b1d7e30c2a84f56b0e3d9c1a7f24865e0b3c9d2
      Page       https://admin.example.com/runs/019cadd3-7f48-7c1e-9a40-5d2b7f60e113
    ✗ The deploy of hello failed in verify: hello exited with code 1 on web-1, 2 s after its restart. 9b1d7e3 runs again.
      The message says which; the log ends with the last lines of the unit’s own log. The log: \`qd logs 7f60e113\`.
    "
  `)
})

test('the log of a run is text without what steers a terminal; --lines gives its end', async () => {
  const { home, asked } = await standIn({
    [`GET /api/runs/${id}`]: () => runOf(),
    [`GET /api/runs/${id}/log`]: ({ response }) => void response.end('one\n\x1b[2Jtwo\nthree\n'),
  })
  expect((await qd('logs', id, '--home', home)).stdout).toBe('one\ntwo\nthree\n')
  expect((await qd('logs', id, '--lines', '1', '--home', home)).stdout).toBe('three\n')
  expect(asked[1]?.headers.accept).toBe('text/plain')
  const json = await qd('logs', id, '--lines', '2', '--home', home, '--json')
  expect(JSON.parse(json.stdout)).toEqual({ run: id, lines: ['\x1b[2Jtwo', 'three'] })
})

test('the log of a run as JSON lines, live', async () => {
  const line = { seq: 1, at: '2026-03-02T09:14:06Z', step: null, text: 'hello' }
  const { home } = await standIn({
    [`GET /api/runs/${id}`]: () => runOf({ status: 'running' }),
    [`GET /api/runs/${id}/log`]: ({ response }) =>
      void response.end(sse('log', line, 1) + sse('end', runOf())),
  })
  const { code, stdout } = await qd('logs', id, '-f', '--home', home, '--json')
  expect(stdout).toBe(`${JSON.stringify(line)}\n`)
  expect(code).toBe(0)
})

test('the log of a unit is followed from where the answer before ended, until Ctrl+C', async () => {
  const { home, asked } = await standIn({
    'GET /api/projects/hello/log': ({ route }) =>
      route.includes('after=')
        ? { lines: [`after ${route.at(-1)}`], next: 9 }
        : { lines: ['first'], next: 5 },
  })
  const { child, stdout, ended } = startQd([
    'logs',
    'hello',
    '-f',
    '--lines',
    '1',
    '--process',
    'mailer',
    '--home',
    home,
  ])
  await until('two more answers', () => stdout().includes('after 9'))
  child.kill('SIGINT')
  expect(await ended).toMatchObject({
    code: 130,
    stdout: expect.stringMatching(/^first\nafter 5\nafter 9\n/),
  })
  expect(asked[0]?.route).toBe('GET /api/projects/hello/log?process=mailer&lines=1')
  expect(asked[1]?.route).toBe('GET /api/projects/hello/log?process=mailer&lines=10000&after=5')
})

test('a project whose name looks like an id is meant before a run', async () => {
  const { home } = await standIn({
    'GET /api/projects/beefed': () => projectOf({ name: 'beefed' }),
    'GET /api/projects/beefed/log': () => ({ lines: ['moo'], next: 1 }),
    'GET /api/runs': () => page(runOf({ id: '019cadd3-7f48-7c1e-9a40-5d2b7fcafe00' })),
    'GET /api/runs/019cadd3-7f48-7c1e-9a40-5d2b7fcafe00/log': ({ response }) => void response.end('run\n'),
  })
  expect((await qd('logs', 'beefed', '--home', home)).stdout).toBe('moo\n')
  expect((await qd('logs', 'cafe00', '--home', home)).stdout).toBe('run\n')
})

test('of a project the running run is cancelled, else the waiting one', async () => {
  const other = '019cadd3-7f48-7c1e-9a40-5d2b7f60e999'
  const { home, asked, routes } = await standIn({
    'GET /api/projects/hello/runs': () =>
      page(runOf({ id: other, status: 'queued' }), runOf({ status: 'running' })),
    [`POST /api/runs/${id}/cancel`]: () => runOf({ status: 'running' }),
  })
  expect((await qd('cancel', 'hello', '--home', home)).stdout).toContain(
    '✓ Run 7f60e113 of hello is being cancelled.',
  )
  expect(asked.at(-1)?.route).toBe(`POST /api/runs/${id}/cancel`)
  routes['GET /api/projects/hello/runs'] = () => page(runOf())
  const { code, stderr } = await qd('cancel', 'hello', '--home', home)
  expect(stderr).toBe(
    '✗ No run of hello is running or waiting.\n  To take a deploy back, use `qd rollback hello`.\n',
  )
  expect(code).toBe(3)
})

test('a project is held, resumed, started, stopped and restarted', async () => {
  const verbs = ['hold', 'resume', 'start', 'stop', 'restart']
  const { home, asked } = await standIn({
    'GET /api/projects/hello': () => projectOf(),
    ...Object.fromEntries(verbs.map(verb => [`POST /api/projects/hello/${verb}`, () => projectOf()])),
  })
  const said = []
  for (const verb of verbs) said.push((await qd(verb, 'hello', '--home', home)).stdout.split('\n')[0])
  expect(said).toEqual([
    '✓ hello is held: pushes are accepted and wait until `qd resume hello`.',
    '✓ hello is no longer held; what waits goes on.',
    '✓ hello was started.',
    '✓ hello was stopped.',
    '✓ hello was restarted.',
  ])
  await qd('hold', 'hello', '--reason', 'the sale', '--home', home)
  expect(asked.at(-1)?.body).toEqual({ reason: 'the sale' })
})

test('who does not come back in time is told, and what is refused is not asked again', async () => {
  const { home, stop, asked } = await standIn({})
  const follow = async () => {
    const signal = new AbortController().signal
    for await (const _ of followRun(api({ home }), id, { signal, patienceMs: 50, retryMs: 10 }));
  }
  await expect(follow()).rejects.toMatchObject({ code: 'not_found' })
  expect(asked).toHaveLength(1)
  await stop()
  await expect(follow()).rejects.toThrow('could not be made again within 0.05 s. The run goes on without it.')
})

test('on a terminal the last line lives: a spinner with the time, cleared when it ends', () => {
  let written = ''
  const screen = {
    write(text: string) {
      written += text
    },
    live: true,
    columns: 80,
    paint: pc.createColors(false),
  }
  const progress = new Progress(screen)
  const [fetch] = runOf().steps
  progress.run(runOf({ status: 'running', steps: [{ ...fetch!, status: 'running', ended_at: null }] }))
  progress.log({ seq: 1, at: '', step: 'fetch', text: 'a line' })
  progress.run(runOf({ status: 'running', steps: [fetch!] }))
  progress.stop()
  const clear = '\r\x1b[2K'
  expect(written.replaceAll(clear, '|')).toMatch(/\| {2}[\u2800-\u28ff] fetch +0\.0 s\| {6}a line\n/)
  expect(written).toContain(`${clear}  ✓ fetch            1.2 s  main merged, fast-forward, 3 commits\n`)
  expect(written.endsWith(clear)).toBe(true)
})

test('what the log of a step ends with is not said twice', () => {
  let written = ''
  const write = (text: string) => {
    written += text
  }
  const progress = new Progress({ write, live: false, columns: 80, paint: pc.createColors(false) })
  const [fetch, install] = runOf().steps
  progress.log({ seq: 1, at: '', step: 'fetch', text: fetch!.detail! })
  progress.run(runOf({ status: 'running', steps: [fetch!] }))
  const skipped = { ...install!, detail: 'nothing has changed' }
  progress.log({ seq: 2, at: '', step: 'install', text: 'skipped: nothing has changed' })
  progress.run(runOf({ status: 'running', steps: [fetch!, skipped] }))
  expect(written.split('\n')).toEqual([
    '  → fetch',
    '      main merged, fast-forward, 3 commits',
    '  ✓ fetch            1.2 s',
    '  → install',
    '      skipped: nothing has changed',
    '  – install',
    '',
  ])
})

test('the help lists the verbs in groups', async () => {
  const { stdout } = await qd('--help')
  expect(stdout).toMatch(/Projects:\n {2}init .*Deploying:\n {2}deploy .*Units:\n {2}start /s)
})
