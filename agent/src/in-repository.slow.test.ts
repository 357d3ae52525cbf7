/** A repository says how it is started, and that goes with the commit: forward, back and by hand. */
import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { agentUnderTest } from './under-test.ts'

const file = 'deploy/quarterdeck.yaml'
const withWorker = `
processes:
  - name: web
    start: [python, service.py]
  - name: worker
    start: [python, service.py, worker]
before_restart: [python, service.py, prepare]
linked_paths: [uploads/]
`

test('workers, a step and linked paths come and go with the commit', async () => {
  await using here = await agentUnderTest()
  const first = await here.deployGood()
  here.commit('good', { [file]: withWorker })
  const ended = await here.deploy()
  expect(ended.status).toBe('succeeded')
  expect(here.textOf(ended)).toContain(`${file} says: processes, before_restart, linked_paths`)
  expect(ended.progress.steps.map(({ name }) => name)).toContain('before_restart')
  await until('it is told', () => here.control.instance('hello')?.units.length === 2)
  expect(here.control.instance('hello')).toMatchObject({
    in_repository: { linked_paths: ['uploads/'] },
    units: [
      { name: 'web', state: 'running' },
      { name: 'worker', state: 'running' },
    ],
  })
  expect(lstatSync(join(here.layout.current, 'uploads')).isSymbolicLink()).toBe(true)
  expect(await here.deploy({ kind: 'rollback', ref: first })).toMatchObject({ status: 'succeeded' })
  await until('the worker is gone', () => here.control.instance('hello')?.units.length === 1)
  expect(here.control.instance('hello')).toMatchObject({ sha: first })
  expect(here.control.instance('hello')).not.toHaveProperty('in_repository')
})

test('a commit whose worker does not live is taken back, the worker with it', async () => {
  await using here = await agentUnderTest()
  const good = await here.deployGood()
  here.commit(['good', 'worker-dies'], { [file]: withWorker })
  expect(await here.deploy()).toMatchObject({ status: 'failed', restored_sha: good })
  await until('the worker is gone', () => here.control.instance('hello')?.units.length === 1)
  expect((await here.version()).sha).toBe(good)
})

test('a file that cannot be fails the run before anything is disturbed', async () => {
  await using here = await agentUnderTest()
  const good = await here.deployGood()
  here.commit('good', { [file]: 'port: 80' })
  const ended = await here.deploy()
  expect(ended).toMatchObject({ status: 'failed', error: { code: 'release_failed' } })
  expect(ended.error!.message).toBe(`${file}: port is no setting that a repository may have.`)
  expect([here.head(), (await here.version()).sha]).toEqual([good, good])
  expect(existsSync(here.layout.current)).toBe(true)
})
