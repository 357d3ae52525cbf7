/** Statuses of commits, written to a forge that answers as it is told. */
import { join } from 'node:path'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { commit } from '../deploy/under-test.ts'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { timing, token, writingUnderTest } from './under-test.ts'

const [a, b, c] = [1, 2, 3].map(commit) as [string, string, string]
const writing = (change: Parameters<typeof writingUnderTest>[1] = {}) =>
  writingUnderTest(sqliteEngine(join(temporaryDirectory(), 'database.sqlite')), change)
const done = { ended_at: 'x', started_at: 'x' }

test('a run is told to GitHub from its acceptance to its end, for its commit', async () => {
  const { accept, change, api, sent, forge } = await writing()
  const id = await accept(a)
  await sent(1)
  expect(api.posted[0]).toMatchObject({
    path: `/repos/acme/hello/statuses/${a}`,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'user-agent': 'quarterdeck',
    },
    body: {
      state: 'pending',
      context: 'quarterdeck/hello',
      target_url: `https://admin.example.com/runs/${id}`,
      description: 'Waits for its turn.',
    },
  })
  await change(id, 'run.started', { status: 'running' })
  await sent(2)
  await change(id, 'run.ended', { ...done, status: 'succeeded', sha: a, ref_sha: a })
  await sent(3)
  expect(api.posted.map(({ body }) => [body.state, body.description])).toEqual([
    ['pending', 'Waits for its turn.'],
    ['pending', 'Is being deployed.'],
    ['success', `Deployed ${a.slice(0, 7)}, proven healthy.`],
  ])
  await until('it is recorded', async () => (await forge()).statuses?.last_sent_at != null)
  expect((await forge()).statuses).toMatchObject({ kind: 'github', problem: null })
})

test('Gitea has its own path and its own word for the token', async () => {
  for (const path of ['', '/api/v1', '/git/']) {
    const { accept, api, sent } = await writing({ kind: 'gitea', path })
    await accept(a)
    await sent(1)
    const root = path === '/git/' ? '/git/api/v1' : '/api/v1'
    expect(api.posted[0]).toMatchObject({
      path: `${root}/repos/acme/hello/statuses/${a}`,
      headers: { authorization: `token ${token}` },
      body: { state: 'pending', context: 'quarterdeck/hello' },
    })
  }
})

test('a failure says what and no more: messages may hold what is not for everybody', async () => {
  const { accept, change, api, sent } = await writing()
  const id = await accept(null)
  const error = JSON.stringify({ code: 'verify_failed', message: 'password=hunter2 at 10.0.0.7' })
  await change(id, 'run.ended', { ...done, status: 'failed', sha: a, error, restored_sha: b })
  await sent(1)
  expect(api.posted[0]?.body).toMatchObject({
    state: 'failure',
    description: `Failed: verify_failed. ${b.slice(0, 7)} runs again.`,
  })
  const other = await accept(c)
  await change(other, 'run.ended', { ...done, status: 'cancelled' })
  await until('it was sent', () => api.posted.at(-1)?.body.state === 'error')
})

test('a push that gave way is told how the run went that took its place', async () => {
  const { accept, change, api } = await writing()
  const [first, second] = [await accept(a), await accept(b)]
  const third = await accept(c)
  await change(third, 'run.started', { status: 'running' })
  await until('all wait', () => new Set(api.states()).size === 3)
  expect(first).not.toBe(second)
  expect(api.states().every(state => state.endsWith('pending'))).toBe(true)
  await change(third, 'run.ended', { ...done, status: 'succeeded', sha: c, ref_sha: c })
  const last = () => new Map(api.posted.map(({ path, body }) => [path.slice(-40), body]))
  await until('all are told', () => [...last().values()].every(({ state }) => state === 'success'))
  expect(last().get(a)?.description).toBe(`With a newer push: Deployed ${c.slice(0, 7)}, proven healthy.`)
  expect(last().size).toBe(3)
})

test('a run with nothing to do is well, and leaves the status of what runs alone', async () => {
  const { accept, change, api, sent } = await writing()
  const id = await accept(b)
  await sent(1)
  await change(id, 'run.ended', { ...done, status: 'superseded', sha: a, ref_sha: b })
  await sent(2)
  expect(api.states()).toEqual([`${b.slice(0, 7)} pending`, `${b.slice(0, 7)} success`])
  expect(api.posted[1]?.body.description).toBe('Nothing to deploy: nothing relevant has changed.')
})

test('what fails for a while is sent again, the newest state only, and never an older one after it', async () => {
  const { accept, change, api, sent, forge, log } = await writing()
  const answers: ([number, Record<string, string>?] | undefined)[] = [
    [503],
    undefined,
    [429, { 'retry-after': '0' }],
  ]
  api.answer = () => (answers.length > 0 ? answers.shift() : [201])
  const id = await accept(a)
  await sent(2)
  await change(id, 'run.ended', { ...done, status: 'succeeded', sha: a })
  await until('it is well', async () => (await forge()).statuses?.problem === null && answers.length === 0)
  await until('the end was sent', () => api.posted.at(-1)?.body.state === 'success')
  const states = api.posted.map(({ body }) => body.state)
  expect(states.slice(states.indexOf('success'))).not.toContain('pending')
  expect(log.text()).not.toContain('given up')
})

test('a forge that is busy with an older state gets the newer one after its answer, not beside it', async () => {
  const { accept, change, api, sent, start } = await writing()
  // As where several processes share a database.
  start()
  const { promise, resolve } = Promise.withResolvers<void>()
  api.hold = () => promise
  const id = await accept(a)
  await sent(1)
  await change(id, 'run.ended', { ...done, status: 'succeeded', sha: a })
  await accept(b)
  await sent(2)
  expect(api.states()).toEqual([`${a.slice(0, 7)} pending`, `${b.slice(0, 7)} pending`])
  resolve()
  await until('both were sent', () => api.posted.length === 3)
  expect(api.states().filter(state => state.startsWith(a.slice(0, 7)))).toEqual([
    `${a.slice(0, 7)} pending`,
    `${a.slice(0, 7)} success`,
  ])
})

test('of two runs of one commit the newer one has the last word, whenever the older one ends', async () => {
  const { accept, change, api, sent } = await writing()
  const older = await accept(a)
  await change(older, 'run.started', { status: 'running' })
  const newer = await accept(a)
  await until('the newer one is told', () => api.posted.at(-1)?.body.target_url.endsWith(newer))
  const before = api.posted.length
  await change(older, 'run.ended', { ...done, status: 'succeeded', sha: a, ref_sha: a })
  await change(newer, 'run.ended', { ...done, status: 'failed', sha: a, ref_sha: a })
  await sent(before + 1)
  expect(api.posted.slice(before).map(({ body }) => body.state)).toEqual(['failure'])
})

test('the forge’s own time to wait is kept to', async () => {
  const { accept, api, sent, rows } = await writing()
  const resetS = Math.floor(Date.now() / 1000) + 600
  const limits = [
    [429, { 'retry-after': '600' }],
    [403, { 'retry-after': new Date(Date.now() + 600_000).toUTCString() }],
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(resetS) }],
  ] as [number, Record<string, string>][]
  api.answer = () => limits.shift()
  for (const [n, sha] of [a, b, c].entries()) {
    await accept(sha)
    await sent(n + 1)
  }
  const due = await until('all wait', async () => {
    const kept = await rows()
    return kept.every(({ tries }) => tries === 1) && kept.map(({ due_at }) => Date.parse(due_at ?? ''))
  })
  expect(due).toHaveLength(3)
  for (const at of due) expect(at - Date.now()).toBeGreaterThan(500_000)
})

test('what cannot succeed is given up at once, the rest after its tries, with the reason for operators', async () => {
  const { accept, api, log, forge, rows } = await writing()
  const givenUp = (count: number) =>
    until(
      `${count} given up`,
      () => log.lines.filter(({ msg }) => String(msg).includes('given up')).length === count,
    )
  const reasons: [number, string][] = [
    [401, 'the token is wrong or has expired'],
    [403, 'the token may not write statuses there'],
    [404, 'there is no such repository, or the token may not see it'],
    [422, 'it does not know the commit, or takes no more statuses for it'],
    [301, 'the repository or its API has moved'],
  ]
  for (const [n, [status, reason]] of reasons.entries()) {
    api.answer = () => [status, { location: `${api.url}/elsewhere` }]
    await accept(commit(10 + n))
    await givenUp(n + 1)
    expect((await forge()).statuses?.problem).toBe(`${new URL(api.url).host} answered ${status}: ${reason}.`)
  }
  expect(api.posted).toHaveLength(reasons.length)
  api.answer = () => [500]
  await accept(a)
  await givenUp(reasons.length + 1)
  expect(api.posted).toHaveLength(reasons.length + timing.tries)
  expect((await rows()).every(({ due_at }) => due_at === null)).toBe(true)
  expect(log.text()).not.toContain('sentinel')
})

test('what was not sent is sent after a restart', async () => {
  const { accept, change, api, start, stop, sent } = await writing()
  api.answer = () => [503]
  const id = await accept(a)
  await sent(1)
  await stop()
  await change(id, 'run.ended', { ...done, status: 'succeeded', sha: a })
  const before = api.posted.length
  api.answer = () => [201]
  start()
  await until('the end was sent', () => api.posted.at(-1)?.body.state === 'success')
  expect(api.posted.length).toBeLessThanOrEqual(before + 2)
})

test('without a token, and for an archived project, nothing is written', async () => {
  const { accept, change, api, sent, remove, archive, forge, rows } = await writing()
  const id = await accept(a)
  await sent(1)
  await remove()
  await change(id, 'run.ended', { ...done, status: 'succeeded', sha: a })
  await archive()
  await until('it is forgotten', async () => (await rows()).every(({ due_at }) => due_at === null))
  await expect(forge()).rejects.toMatchObject({ code: 'not_found' })
  expect(api.posted).toHaveLength(1)
})
