import { join } from 'node:path'
import { systemClock } from '@quarterdeck/kit'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { commit, projectUnderTest } from '../deploy/under-test.ts'
import { Events } from '../events/index.ts'
import { bySystem } from '../http/index.ts'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { Store } from '../store/index.ts'
import { controlUnderTest } from '../under-test.ts'
import { serviceUnderTest } from './under-test.ts'

test('each failed run is told, the first success after it ends that, and every rollback is a notice', async () => {
  const it = await controlUnderTest()
  const project = await projectUnderTest(it)
  const other = await projectUnderTest(it, 'other')
  const service = await serviceUnderTest()
  const body = { name: 'deploys', settings: { kind: 'slack', url: service.url } }
  expect((await it.ask('admin', '/api/channels', { method: 'POST', token: it.token, body })).status).toBe(201)
  const store = await Store.open(sqliteEngine(join(it.config.home, 'database.sqlite')))
  const events = new Events(store, systemClock)
  const steps = [
    {
      name: 'verify',
      machine: 'local',
      status: 'failed',
      started_at: null,
      ended_at: null,
      exit: 1,
      detail: null,
    },
  ]
  /** As an agent would have told. */
  const end = async (n: number, status: string, more: object = {}) => {
    const id = await project.pushed(commit(n))
    await store.write(async transaction => {
      const row = { status, sha: commit(n), ended_at: new Date().toISOString(), machine: 'local', ...more }
      await transaction.updateTable('run').set(row).where('id', '=', id).execute()
      await events.append(transaction, bySystem, {
        type: 'run.ended',
        subject: `run/${id}`,
        data: { project: 'hello' },
      })
    })
    // Another process has written: whoever reads how runs end is woken by one that ends here.
    const path = `/api/runs/${await other.pushed(commit(n))}/cancel`
    expect((await it.ask('admin', path, { method: 'POST', token: it.token })).status).toBe(202)
  }
  const texts = () => service.received.map(({ body }) => JSON.parse(body).text as string)
  await end(1, 'failed', {
    steps: JSON.stringify(steps),
    error: JSON.stringify({ code: 'verify_failed', message: 'It exited.' }),
  })
  await until('the failure is told', () => texts().length === 1)
  expect(texts()[0]).toMatch(/CRITICAL · The deploy of hello at 000001cccccc by token:ci failed/)
  expect(service.received[0]?.body).toContain('it is down')
  await end(2, 'succeeded', { kind: 'rollback' })
  await until('the end and the rollback are told', () => texts().length === 3)
  const [, ...told] = texts()
  expect(told.some(text => /RESOLVED · The deploy of hello/.test(text))).toBe(true)
  expect(told.some(text => /NOTICE · hello was rolled back to 000002cccccc by token:ci/.test(text))).toBe(
    true,
  )
  await end(3, 'failed')
  const open = async () =>
    (await it.ask('admin', '/api/alerts', { token: it.token })).json.items as { labels: { run: string } }[]
  await until('another failure is an alert', async () => (await open()).length === 1)
  const archived = await it.ask('admin', '/api/projects/hello', { method: 'DELETE', token: it.token })
  expect(archived.status).toBeLessThan(300)
  await until('of a project that is gone nothing is open', async () => (await open()).length === 0)
  await store.close()
})
