/** The webhook's answers once the body is read, in their order: checks before each pass, those after it fail. */
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { Store } from '../store/index.ts'
import { controlUnderTest } from '../under-test.ts'
import { commit, projectUnderTest } from './under-test.ts'

const { limits } = loadConfig({ home: '/nowhere' })
const megabyte = 'not JSON '.repeat(120_000)
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const seen = ({ status, json }: { status: number; json: { code?: string } }) => [status, json.code]

test('415, then 413, then 400, then 422', async () => {
  const { push, repository } = await projectUnderTest(await controlUnderTest())
  expect(seen(await push('x', { body: megabyte, headers: form }))).toEqual([415, 'unsupported_media_type'])
  expect(seen(await push('x', { body: undefined }))).toEqual([415, 'unsupported_media_type'])
  expect(seen(await push('x', { body: 'x'.repeat(64 * 1024 + 1) }))).toEqual([413, 'body_too_large'])
  for (const body of ['', '{"ref":', 'x'.repeat(64 * 1024), '\u0000']) {
    expect(seen(await push('x', { body }))).toEqual([400, 'invalid_json'])
  }
  for (const body of ['null', '[]', '"x"', {}, { ref: commit(1) }, { project: repository }]) {
    expect(seen(await push('x', { body }))).toEqual([422, 'invalid_fields'])
  }
  const both = await push('x', { body: { ref: 'x', project: 7 } })
  expect(both.json.errors.map(({ field }: { field: string }) => field)).toEqual(['ref', 'project'])
  const charset = { 'content-type': 'application/json; charset=utf-8' }
  expect((await push(commit(1), { headers: charset })).status).toBe(202)
})

test('422 for whatever is no commit or not this repository, and nothing of it is accepted', async () => {
  const { push, runs, repository, api } = await projectUnderTest(
    await controlUnderTest({ limits: { ...limits, deploys_per_minute: 100_000 } }),
  )
  const noRef = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'main',
      '--upload-pack=x',
      'HEAD',
      '../../x',
      'abc123',
      'a'.repeat(65),
      'abcdef0\n',
      ' abcdef0',
    ),
    fc.stringMatching(/^[0-9a-f]{7,64}[^0-9a-fA-F]$/),
  )
  const noRepository = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'acme',
      'acme/',
      '/hello',
      'acme/hello/x',
      'acme/hello\n',
      'other/hello',
      'acme/hell',
      '../..',
    ),
  )
  const refused = async (body: unknown) => {
    expect(seen(await push('x', { body }))).toEqual([422, 'invalid_fields'])
  }
  const runsOf = { numRuns: 60 }
  await fc.assert(
    fc.asyncProperty(
      noRef.filter(ref => !/^[0-9a-fA-F]{7,64}$/.test(ref)),
      ref => refused({ ref, project: repository }),
    ),
    runsOf,
  )
  await fc.assert(
    fc.asyncProperty(
      noRepository.filter(name => name.toLowerCase() !== repository),
      project => refused({ ref: commit(1), project }),
    ),
    runsOf,
  )
  expect(await runs()).toEqual([])
  expect((await push('x', { body: { ref: 'ABCDEF0', project: 'ACME/Hello', more: 1 } })).json.ref).toBe(
    'abcdef0',
  )
  await api('/api/projects/hello', { repository: 'new/home' }, { method: 'PATCH' })
  for (const project of ['acme/hello', 'new/home', 'New/Home']) {
    expect((await push('x', { body: { ref: commit(2), project } })).status).toBe(202)
  }
})

test('202 with Location when the run is on disk', async () => {
  const under = await controlUnderTest()
  const { push, token } = await projectUnderTest(under)
  const { status, headers, json } = await push(commit(1))
  expect(status).toBe(202)
  expect(json).toMatchObject({
    project: 'hello',
    ref: commit(1),
    status: 'queued',
    kind: 'deploy',
    steps: [],
  })
  expect(json.trigger).toEqual({ by: 'token:ci', from: '203.0.113.9' })
  expect(new URL(String(headers.location)).pathname).toBe(`/api/runs/${json.id}`)
  expect((await under.ask('admin', `/api/runs/${json.id}`, { token })).json).toEqual(json)
  const second = Store.attach(sqliteEngine(join(under.config.home, 'database.sqlite')))
  onTestFinished(() => second.close())
  const rows = await second.read(transaction =>
    transaction.selectFrom('run').select(['id', 'status']).execute(),
  )
  expect(rows.map(row => ({ ...row }))).toEqual([{ id: json.id, status: 'queued' }])
})
