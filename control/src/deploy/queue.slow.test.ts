/** Many at once: what runs, what waits, what gives way. */
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { AgentUnderTest } from '../fleet/under-test.ts'
import { controlUnderTest } from '../under-test.ts'
import { commit, projectUnderTest } from './under-test.ts'

const { limits } = loadConfig({ home: '/nowhere' })

async function deploying(perMachine = 4) {
  const under = await controlUnderTest({
    limits: { ...limits, runs_per_machine: perMachine, deploys_per_minute: 100_000 },
  })
  const agent = new AgentUnderTest(link => under.control.attach(link)).connect()
  return { ...under, agent }
}

/** Of the orders so far, the runs. */
const orderedIds = (agent: AgentUnderTest) => agent.orders.map(({ order }) => order.id)

test('one runs, one waits, and a newer push takes the waiting one’s place', async () => {
  const { agent, ...under } = await deploying()
  const { pushed, is, run } = await projectUnderTest(under)
  const first = await pushed(commit(1))
  await agent.ordered(first)
  const second = await pushed(commit(2))
  expect((await run(second)).status).toBe('queued')
  const third = await pushed(commit(3))
  expect(await run(second)).toMatchObject({ status: 'superseded', superseded_by: third, started_at: null })
  expect((await run(second)).ended_at).not.toBeNull()
  expect((await run(first)).status).toBe('running')
  agent.end(first)
  await agent.ordered(third)
  agent.end(third)
  await is(third, 'succeeded')
  expect(orderedIds(agent)).toEqual([first, third])
})

test('a rollback goes ahead of a waiting push, and neither takes the other’s place', async () => {
  const { agent, ...under } = await deploying()
  const { pushed, do: act, run, is } = await projectUnderTest(under)
  const first = await pushed(commit(1))
  await agent.ordered(first)
  const push = await pushed(commit(2))
  const back = (await act('rollback', { to: commit(7) })).json.id
  const newer = await pushed(commit(3))
  expect([(await run(push)).superseded_by, (await run(back)).status]).toEqual([newer, 'queued'])
  const newerBack = (await act('rollback', { to: commit(8) })).json.id
  expect(await run(back)).toMatchObject({ status: 'superseded', superseded_by: newerBack })
  for (const id of [first, newerBack, newer]) {
    await agent.ordered(id)
    agent.end(id)
  }
  await is(newer, 'succeeded')
  expect(orderedIds(agent)).toEqual([first, newerBack, newer])
  expect(agent.orders[1]!.order).toMatchObject({ kind: 'rollback', ref: commit(8) })
})

test('while a project is held, the newest push waits and rollbacks go; it goes on when resumed', async () => {
  const { agent, ...under } = await deploying()
  const { pushed, do: act, run, is } = await projectUnderTest(under)
  const other = await projectUnderTest(under, 'other')
  await act('hold', { reason: 'sale' })
  const first = await pushed(commit(1))
  const second = await pushed(commit(2))
  const back = (await act('rollback', { to: commit(7) })).json.id
  await agent.ordered(back)
  agent.end(back)
  await is(back, 'succeeded')
  // By now it would have been given out, as the other project's was.
  await agent.ordered(await other.pushed(commit(1)))
  expect([(await run(first)).status, (await run(second)).status]).toEqual(['superseded', 'queued'])
  await act('resume')
  await agent.ordered(second)
  agent.end(second)
  await is(second, 'succeeded')
})

test('a rollback with hold goes at once and lets what is pushed then wait', async () => {
  const { agent, ...under } = await deploying()
  const { pushed, do: act, run, api } = await projectUnderTest(under)
  const { json } = await act('rollback', { to: commit(7), hold: true, reason: 'checkout fails' })
  await agent.ordered(json.id)
  const push = await pushed(commit(1))
  expect((await api('/api/projects/hello')).json).toMatchObject({ held: true, held_reason: 'checkout fails' })
  agent.end(json.id)
  await until('the end is recorded', () => agent.heardOf('recorded', json.id) > 0)
  expect((await run(push)).status).toBe('queued')
  expect(orderedIds(agent)).toEqual([json.id])
})

test('a rollback that is refused holds nothing', async () => {
  const { do: act, api, runs } = await projectUnderTest(await deploying())
  expect((await act('rollback', { hold: true })).json.code).toBe('nothing_earlier')
  expect([(await api('/api/projects/hello')).json.held, await runs()]).toEqual([false, []])
})

test('different projects run side by side, as many as a machine takes', async () => {
  const { agent, ...under } = await deploying(2)
  const ids: string[] = []
  for (const name of ['a', 'b', 'c', 'd']) {
    ids.push(await (await projectUnderTest(under, name)).pushed(commit(1)))
  }
  const { is, run } = await projectUnderTest(under)
  await agent.ordered(ids[0]!)
  await agent.ordered(ids[1]!)
  agent.end(ids[1]!)
  await agent.ordered(ids[2]!)
  expect(orderedIds(agent)).toEqual(ids.slice(0, 3))
  expect((await run(ids[3]!)).status).toBe('queued')
  agent.end(ids[0]!)
  await agent.ordered(ids[3]!)
  for (const id of ids) agent.end(id)
  for (const id of ids) await is(id, 'succeeded')
})

test('while the machine is away runs wait, and go when its agent says hello', async () => {
  const { agent, ...under } = await deploying()
  const { pushed, run, is } = await projectUnderTest(under)
  agent.disconnect()
  await until('it is gone', () => agent.isClosed)
  const id = await pushed(commit(1))
  expect((await run(id)).status).toBe('queued')
  agent.connect()
  expect((await agent.ordered(id)).log_after).toBe(0)
  agent.end(id)
  await is(id, 'succeeded')
})

test('200 projects with 3 pushes each at once: none is lost, none doubled, each run ends once', async () => {
  const { agent, ...under } = await deploying(16)
  const projects = await Promise.all(
    Array.from({ length: 200 }, (_, i) => projectUnderTest(under, `project-${i}`)),
  )
  let atOnce = 0
  let most = 0
  agent.onOrder = ({ order }) => {
    most = Math.max(most, ++atOnce)
    setImmediate(() => {
      atOnce--
      agent.end(order.id)
    })
  }
  const accepted = await Promise.all(
    projects.flatMap(({ push }) => [1, 2, 3].map(async n => (await push(commit(n))).json.id as string)),
  )
  expect(new Set(accepted).size).toBe(600)
  const runs = await until(
    'all have ended',
    async () => {
      const lists = await Promise.all(projects.map(({ runs }) => runs()))
      const all = lists.flat()
      return all.every(({ status }) => status === 'succeeded' || status === 'superseded') && all
    },
    60_000,
  )
  expect(new Set(runs.map(({ id }) => id))).toEqual(new Set(accepted))
  const done = runs.filter(({ status }) => status === 'succeeded').map(({ id }) => id)
  expect(orderedIds(agent).toSorted()).toEqual(done.toSorted())
  expect(most).toBeLessThanOrEqual(16)
  // The newest of each project was deployed, and what gave way names what took its place.
  for (const { runs } of projects) {
    const [newest, ...others] = await runs()
    expect(newest.status).toBe('succeeded')
    for (const run of others) expect(run.status === 'succeeded' || run.superseded_by !== null).toBe(true)
  }
  const ended = async () => (await endsTold(under)).toSorted()
  await expect.poll(ended, { timeout: 15_000 }).toEqual(accepted.toSorted())
}, 90_000)

/** The runs that the audit tells the end of. */
async function endsTold({ ask, token }: Pick<Awaited<ReturnType<typeof controlUnderTest>>, 'ask' | 'token'>) {
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const { json } = await ask('admin', `/api/audit?limit=200${cursor && `&cursor=${cursor}`}`, { token })
    for (const { action, subject, data } of json.items) {
      if (action === 'run.ended') ids.push(subject.slice(4))
      if (action === 'run.accepted') ids.push(...data.supersedes)
    }
    if (json.next_cursor === null) return ids
    cursor = json.next_cursor
  }
}
