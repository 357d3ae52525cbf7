import type { Run } from '@quarterdeck/contract'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import {
  type Answer,
  beginStream,
  logLine,
  projectOf,
  qd,
  type Routes,
  runOf,
  sse,
  standIn,
  startQd,
  succeeded,
} from './under-test.ts'

const id = runOf().id
const steps = runOf().steps
const queued = runOf({
  status: 'queued',
  sha: null,
  started_at: null,
  ended_at: null,
  steps: [],
  error: null,
  restored_sha: null,
})
const running: Run = {
  ...queued,
  status: 'running',
  steps: [{ ...steps[0]!, status: 'running', ended_at: null, detail: null }],
}

const routes: Routes = {
  'POST /api/projects/hello/runs': () => queued,
  'GET /api/projects/hello': () => projectOf(),
  'GET /api/projects/hello/runs': () => ({ items: [queued], next_cursor: null }),
}

/** A stream that tells a run from its start to this end. */
const toTheEnd =
  (end: Run): Answer =>
  ({ response }) => {
    beginStream(response)
    response.write(sse('run', running))
    response.write(sse('log', logLine(1, 'From https://github.com/acme/hello\x1b[2J'), 1))
    response.write(': still here\n\n')
    response.end(sse('end', end))
    return undefined
  }

const logRoute = `GET /api/runs/${id}/log`

test('a deploy is followed to its end: steps, log, one sentence', async () => {
  const done = succeeded({ steps: steps.slice(0, 3) })
  const { home, asked } = await standIn({ ...routes, [logRoute]: toTheEnd(done) })
  const { code, stdout } = await startQd(['deploy', 'hello', '--ref', '4F0C2AD', '--home', home]).ended
  expect(stdout).toBe(
    [
      `Run 7f60e113 of hello: https://admin.example.com/runs/${id}`,
      '  → fetch',
      '      From https://github.com/acme/hello',
      '  ✓ fetch            1.2 s  main merged, fast-forward, 3 commits',
      '  – install                 skipped: the dependency list has not changed',
      '  ✓ restart          1.6 s  hello.service restarted',
      '✓ hello now runs 4f0c2ad, proven healthy after 48 s.',
      '',
    ].join('\n'),
  )
  expect(code).toBe(0)
  expect(asked[0]?.body).toEqual({ ref: '4f0c2ad', discard: false })
})

test('one that failed says why, what runs again and what to do, and ends with 3', async () => {
  const { home } = await standIn({ ...routes, [logRoute]: toTheEnd(runOf()) })
  const { code, stdout } = await qd('deploy', 'hello', '--quiet', '--home', home)
  expect(stdout).not.toContain('From https')
  expect(stdout).toContain('  ✗ verify            45 s  process exited with code 1 after 2 s\n')
  expect(stdout).toContain(
    '✗ The deploy of hello failed in verify: hello exited with code 1 on web-1, 2 s after its restart. 9b1d7e3 runs again.\n',
  )
  expect(stdout).toContain('`qd logs 7f60e113`')
  expect(code).toBe(3)
})

test('for programs: the run as it ended, with the same exit code', async () => {
  const { home } = await standIn({ ...routes, [logRoute]: toTheEnd(runOf()) })
  const { code, stdout } = await qd('deploy', 'hello', '--home', home, '--json')
  expect(JSON.parse(stdout)).toEqual(runOf())
  expect(code).toBe(3)
})

test('without waiting it ends when the run is accepted', async () => {
  const { home, asked } = await standIn(routes)
  const { code, stdout } = await qd('deploy', 'hello', '--discard', '--no-wait', '--home', home)
  expect(stdout).toContain('✓ Run 7f60e113 of hello was accepted.\n  Follow it with `qd logs -f 7f60e113`')
  expect(asked.map(({ body }) => body)).toEqual([{ discard: true }])
  expect(code).toBe(0)
})

test('one that gives way is followed in its successor, whose end counts', async () => {
  const next = '019cadd3-7f48-7c1e-9a40-5d2b7f60e999'
  const { home } = await standIn({
    ...routes,
    [logRoute]: toTheEnd(runOf({ status: 'superseded', superseded_by: next, error: null, steps: [] })),
    [`GET /api/runs/${next}`]: () => succeeded({ id: next }),
    [`GET /api/runs/${next}/log`]: toTheEnd(succeeded({ id: next })),
  })
  const { code, stdout } = await qd('deploy', 'hello', '--home', home)
  expect(stdout).toContain('Run 7f60e113 gave way to 7f60e999, which is followed now.')
  expect(code).toBe(0)
})

test('one with nothing to do ends well; one that was cancelled does not', async () => {
  const why = 'There is no change in app/ between 9b1d7e3 and 4f0c2ad.'
  const nothing = runOf({ status: 'superseded', error: null, steps: [] })
  const { home, routes: mounted } = await standIn({ ...routes, [logRoute]: toTheEnd(nothing) })
  const first = await qd('deploy', 'hello', '--home', home)
  expect(first.stdout).toContain('had nothing to do: what runs is newer.')
  const steps = [{ ...runOf().steps[0]!, detail: why }]
  mounted[logRoute] = toTheEnd({ ...nothing, steps })
  expect((await qd('deploy', 'hello', '--home', home)).stdout).toContain(
    `✓ Run 7f60e113 of hello had nothing to do. ${why}\n`,
  )
  mounted[logRoute] = toTheEnd(runOf({ status: 'cancelled', error: null, steps: [], restored_sha: null }))
  const second = await qd('deploy', 'hello', '--home', home)
  expect(second.stdout).toContain(
    '✗ The deploy of hello was cancelled after 48 s. The service was not touched.',
  )
  expect([first.code, second.code]).toEqual([0, 3])
})

test('whoever deploys a held project is told what it waits for', async () => {
  const held = () => projectOf({ held: true, held_reason: 'the sale' })
  const { home } = await standIn({
    ...routes,
    'GET /api/projects/hello': held,
    [logRoute]: toTheEnd(succeeded()),
  })
  const { stdout } = await qd('deploy', 'hello', '--home', home)
  expect(stdout).toContain('hello is held (the sale): the run waits until `qd resume hello`.')
})

test('a connection that breaks is taken up again, and no line is shown twice', async () => {
  const control = await standIn({
    ...routes,
    [logRoute]({ response, headers }) {
      beginStream(response)
      const again = headers['last-event-id']
      response.write(sse('run', running))
      // More than was asked for, as a careless server might.
      for (const seq of [1, 2]) response.write(sse('log', logLine(seq, `line ${seq}`), seq))
      if (again) response.end(sse('log', logLine(3, 'line 3'), 3) + sse('end', succeeded()))
      return undefined
    },
  })
  const { stdout, ended } = startQd(['deploy', 'hello', '--home', control.home])
  await until('the second line is shown', () => stdout().includes('line 2'))
  await control.stop()
  await control.start()
  const { code, stdout: text, stderr } = await ended
  expect(text.match(/line \d/g)).toEqual(['line 1', 'line 2', 'line 3'])
  expect(stderr).toBe('The connection to control broke; trying again for a minute …\nConnected again.\n')
  expect(control.asked.at(-1)?.headers['last-event-id']).toBe('2')
  expect(code).toBe(0)
})

test('Ctrl+C ends the following, not the run', async () => {
  const { home, asked } = await standIn({
    ...routes,
    [logRoute]({ response }) {
      beginStream(response).write(sse('run', running))
      return undefined
    },
  })
  const { child, stdout, ended } = startQd(['deploy', 'hello', '--home', home])
  await until('the step has begun', () => stdout().includes('→ fetch'))
  child.kill('SIGINT')
  const { code, stderr } = await ended
  expect(stderr).toContain(
    'the run goes on. `qd logs -f 7f60e113` follows it, `qd cancel 7f60e113` cancels it.',
  )
  expect(code).toBe(130)
  expect(asked.map(({ route }) => route)).not.toContain(`POST /api/runs/${id}/cancel`)
})

test('a rollback names a commit, an earlier run, or nothing', async () => {
  const { home, asked } = await standIn({
    ...routes,
    'GET /api/runs': () => ({ items: [runOf()], next_cursor: null }),
    'POST /api/projects/hello/rollback': () => runOf({ status: 'queued', kind: 'rollback' }),
    [`POST /api/runs/${id}/rerun`]: () => queued,
  })
  const run = (...args: string[]) => qd(...args, '--no-wait', '--home', home)
  await run('rollback', 'hello')
  await run('rollback', 'hello', '--to', '9b1d7e3', '--hold', '--reason', 'checkout fails')
  await run('rollback', 'hello', '--run', '7f60e113', '--secrets')
  await run('rerun', '60e113')
  expect(asked.filter(({ route }) => route.startsWith('POST')).map(({ body }) => body)).toEqual([
    { hold: false },
    { to: '9b1d7e3', hold: true, reason: 'checkout fails' },
    { run: id, secrets: true, hold: false },
    undefined,
  ])
  expect(await run('rollback', 'hello', '--to', '9b1d7e3', '--run', id)).toMatchObject({ code: 2 })
  expect(await run('rollback', 'hello', '--to', 'main')).toMatchObject({ code: 2 })
})
