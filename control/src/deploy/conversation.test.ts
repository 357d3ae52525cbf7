/** What control and an agent say to each other about runs, through lost connections and restarts of control. */
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { AgentUnderTest } from '../fleet/under-test.ts'
import { type ControlUnderTest, controlUnderTest } from '../under-test.ts'
import { commit, projectUnderTest } from './under-test.ts'

const step = { exit: null, detail: null, started_at: '2026-01-01T00:00:00Z', ended_at: null } as const
const unknown = '019cadd3-7f48-7c1e-9a40-5d2b7f60e113'

const agentOf = ({ control }: ControlUnderTest) => new AgentUnderTest(link => control.attach(link)).connect()

async function running() {
  const under = await controlUnderTest()
  const project = await projectUnderTest(under)
  const agent = agentOf(under)
  const id = await project.pushed(commit(1))
  return { under, ...project, agent, id, order: await agent.ordered(id) }
}

/** What is said is stored in its order, so all that was said before this end is stored, too. */
const recorded = (agent: AgentUnderTest, id: string) =>
  until('the end is acknowledged', () => agent.heardOf('recorded', id) > 0)

test('an order says all that the agent needs', async () => {
  const { order, id } = await running()
  expect(order).toMatchObject({
    log_after: 0,
    order: {
      ...{ id, kind: 'deploy', ref: commit(1), sent_before: [], discard: false },
      project: { name: 'hello', branch: 'main', runtime: 'python', processes: [{ name: 'worker' }] },
    },
  })
})

test('progress is shown with its machine; what the machine decided on counts', async () => {
  const { agent, id, run, is } = await running()
  expect(await run(id)).toMatchObject({ status: 'running', started_at: expect.any(String), sha: null })
  const steps = [{ name: 'fetch', status: 'running', ...step }] as const
  agent.progress(id, { kind: 'rollback', sha: commit(2), ref_sha: commit(1), steps: [...steps] })
  const shown = await until('it is shown', async () => {
    const now = await run(id)
    return now.sha !== null && now
  })
  expect(shown).toMatchObject({
    kind: 'rollback',
    sha: commit(2),
    steps: [{ ...steps[0], machine: 'local' }],
  })
  agent.fail(id, 'It did not answer.')
  expect(await is(id, 'failed')).toMatchObject({
    error: { code: 'verify_failed', message: 'It did not answer.' },
  })
})

test('an end is recorded once and acknowledged each time; what comes after it changes nothing', async () => {
  const { agent, id, run, api } = await running()
  agent.end(id, {}, { sha: commit(1) })
  agent.fail(id)
  agent.progress(id, { sha: commit(9) })
  agent.log(id, [{ seq: 1 }])
  await until('both are acknowledged', () => agent.heardOf('recorded', id) === 2)
  expect(await run(id)).toMatchObject({ status: 'succeeded', sha: commit(1), error: null })
  const ends = async () =>
    (await api('/api/audit')).json.items.filter(({ action }: { action: string }) => action === 'run.ended')
  await expect.poll(ends).toHaveLength(1)
})

test('the end of a run that is not known is acknowledged, so that the agent can forget it', async () => {
  const { agent, api } = await running()
  agent.log(unknown, [{ seq: 1 }])
  agent.progress(unknown)
  agent.end(unknown)
  await recorded(agent, unknown)
  expect((await api(`/api/runs/${unknown}`)).status).toBe(404)
})

test('a run that waits cannot be ended by an agent that was not given it', async () => {
  const { agent, pushed, run } = await running()
  const waiting = await pushed(commit(2))
  agent.log(waiting, [{ seq: 1 }])
  agent.progress(waiting, { sha: commit(9) })
  agent.end(waiting)
  await recorded(agent, waiting)
  expect(await run(waiting)).toMatchObject({ status: 'queued', sha: null })
})

test('after a lost connection the run is ordered again, its log from where it is known, and so is its cancelling', async () => {
  const { agent, id, api, is } = await running()
  agent.log(id, [{ seq: 1 }, { seq: 2 }, { seq: 3 }])
  await until('the log is stored', async () => (await api(`/api/runs/${id}/log`)).text !== '')
  agent.disconnect()
  await until('it is gone', () => agent.isClosed)
  expect((await api(`/api/runs/${id}/cancel`, {})).status).toBe(202)
  expect(agent.heardOf('cancel', id)).toBe(0)
  agent.connect()
  expect((await agent.ordered(id, 2)).log_after).toBe(3)
  await until('it is cancelled again', () => agent.heardOf('cancel', id) === 1)
  agent.end(id, { status: 'cancelled', restored_sha: commit(7) })
  expect((await is(id, 'cancelled')).restored_sha).toBe(commit(7))
  agent.connect()
  await until('it is connected', async () => (await api('/api/projects/hello')).status === 200)
  expect(agent.orders).toHaveLength(2)
})

test('a message that is not understood ends the connection, and the run goes on over the next', async () => {
  const { agent, id, is, api } = await running()
  agent.sayText('{"type":"run_ended","progress":')
  await until('it is closed', () => agent.isClosed)
  expect((await api('/api/session')).status).toBe(200)
  agent.connect()
  await agent.ordered(id, 2)
  agent.end(id)
  await is(id, 'succeeded')
})

test('control is restarted during a run: it goes on, and what waits goes after it', async () => {
  const { under, agent, id, pushed, token } = await running()
  agent.log(id, [{ seq: 1, text: 'before' }])
  await until('the log is stored', async () => {
    const { text } = await under.ask('admin', `/api/runs/${id}/log`, { token })
    return text.includes('before')
  })
  const waiting = await pushed(commit(2))
  under.control.beginStop()
  await under.control.stop()

  const next = await controlUnderTest({ home: under.config.home })
  const after = agentOf(next)
  expect(await after.ordered(id)).toMatchObject({ log_after: 1, order: { ref: commit(1) } })
  after.log(id, [{ seq: 2, text: 'after' }])
  after.end(id)
  await after.ordered(waiting)
  expect(after.orders.map(({ order }) => order.id)).toEqual([id, waiting])
  const { text } = await next.ask('admin', `/api/runs/${id}/log`, { token })
  expect(text).toMatch(/before\n.*after\n$/)
})

test('a log of more lines than a statement takes is stored whole', async () => {
  const { agent, id, api } = await running()
  const lines = Array.from({ length: 12_000 }, (_, i) => ({ seq: i + 1, text: `line ${i + 1}` }))
  agent.log(id, lines)
  agent.end(id)
  await recorded(agent, id)
  const { text } = await api(`/api/runs/${id}/log`)
  expect(
    text
      .split('\n')
      .map((line: string) => line.slice(36))
      .slice(0, -1),
  ).toEqual(lines.map(({ text }) => text))
})
