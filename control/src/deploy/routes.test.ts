/** What people do with runs: again, away with it, back to before, and lists. */
import { expect, test } from 'vitest'
import { AgentUnderTest, type Order } from '../fleet/under-test.ts'
import { controlUnderTest } from '../under-test.ts'
import { commit, projectUnderTest } from './under-test.ts'

async function deploying() {
  const under = await controlUnderTest()
  const project = await projectUnderTest(under)
  const agent = new AgentUnderTest(link => under.control.attach(link)).connect()
  /** Puts what is ordered in place, as the real one does. */
  const obey = ({ order }: Order) => {
    const rest = { port: null, variables: order.variables.deploy, units: [] }
    agent.say({
      type: 'instance',
      instance: { project: order.project.name, sha: order.ref, proven_sha: order.ref, ...rest },
    })
    agent.end(order.id, {}, { kind: order.kind, sha: order.ref, ref_sha: order.ref })
  }
  /** Deploys a commit, well. */
  const deployed = async (n: number): Promise<string> => {
    agent.onOrder = obey
    const id = await project.pushed(commit(n))
    await project.is(id, 'succeeded')
    return id
  }
  return { under, ...project, agent, deployed }
}

test('a rollback goes to what was proven before, then there is nothing earlier: it never goes back and forth', async () => {
  const { deployed, do: act, is, run, agent, api } = await deploying()
  await deployed(1)
  await deployed(2)
  const back = (await act('rollback')).json
  expect(back).toMatchObject({
    kind: 'rollback',
    ref: commit(1),
    trigger: { by: expect.stringMatching(/^operator:/) },
  })
  await is(back.id, 'succeeded')
  const again = await api('/api/projects/hello/rollback', undefined, { method: 'POST' })
  expect([again.status, again.json.code]).toEqual([409, 'nothing_earlier'])
  await deployed(3)
  const third = (await act('rollback')).json
  expect((await run(third.id)).ref).toBe(commit(2))
  expect((await agent.ordered(third.id)).order).toMatchObject({
    kind: 'rollback',
    ref: commit(2),
    sent_before: [commit(2)],
  })
})

test('a rollback goes to a named commit, or to what a named run had deployed', async () => {
  const { deployed, do: act, pushed, is, agent, under } = await deploying()
  const first = await deployed(1)
  await deployed(2)
  const byRun = (await act('rollback', { run: first })).json
  expect(byRun.ref).toBe(commit(1))
  await is(byRun.id, 'succeeded')
  agent.onOrder = ({ order }) => agent.fail(order.id)
  const bad = await pushed(commit(3))
  await is(bad, 'failed')
  expect((await act('rollback', { run: bad })).json).toMatchObject({ status: 409, code: 'nothing_earlier' })
  const other = await projectUnderTest(under, 'other')
  expect((await other.do('rollback', { run: first })).json).toMatchObject({ status: 404, code: 'not_found' })
  const both = await act('rollback', { to: commit(1), run: first })
  expect(both.json.errors).toEqual([{ field: 'run', message: 'either to or run, and not both' }])
  expect((await act('rollback', { to: 'ABCDEF0123' })).json.ref).toBe('abcdef0123')
})

test('a failed rollback changes nothing of what there is to go back to', async () => {
  const { deployed, do: act, is, agent } = await deploying()
  await deployed(1)
  await deployed(2)
  agent.onOrder = ({ order }) => agent.fail(order.id)
  for (let i = 0; i < 2; i++) {
    const { json } = await act('rollback')
    expect(json.ref).toBe(commit(1))
    await is(json.id, 'failed')
  }
})

test('a run is run again as it was asked for, and the machine is told what was sent before', async () => {
  const { deployed, api, is, agent, do: act } = await deploying()
  const first = await deployed(1)
  await deployed(2)
  const again = await api(`/api/runs/${first}/rerun`, {})
  expect([again.status, again.json.kind, again.json.ref]).toEqual([202, 'deploy', commit(1)])
  await is(again.json.id, 'succeeded')
  expect(agent.orders.at(-1)!.order.sent_before).toEqual([commit(1)])
  const back = (await act('rollback', { to: commit(2) })).json.id
  await is(back, 'succeeded')
  expect((await api(`/api/runs/${back}/rerun`, {})).json).toMatchObject({ kind: 'rollback', ref: commit(2) })
  expect((await api('/api/runs/019cadd3-7f48-7c1e-9a40-5d2b7f60e113/rerun', {})).status).toBe(404)
})

test('a deploy by hand takes the newest commit, or a named one, and may discard', async () => {
  const { do: act, agent, is } = await deploying()
  agent.onOrder = ({ order }) => agent.end(order.id, {}, { sha: commit(5) })
  const newest = await act('runs', undefined, { method: 'POST', headers: { prefer: 'wait=60' } })
  expect([newest.status, newest.json.ref, newest.json.sha]).toEqual([200, null, commit(5)])
  const named = await act('runs', { ref: commit(6), discard: true })
  await is(named.json.id, 'succeeded')
  expect(agent.orders.map(({ order }) => [order.ref, order.discard])).toEqual([
    [null, false],
    [commit(6), true],
  ])
  // A person who asks twice means it.
  expect((await act('runs', { ref: commit(6) })).json.id).not.toBe(named.json.id)
})

test('cancelling ends a waiting run at once, asks for the end of a running one, and is refused after it', async () => {
  const { pushed, agent, api, is } = await deploying()
  const first = await pushed(commit(1))
  await agent.ordered(first)
  const second = await pushed(commit(2))
  const cancel = (id: string) => api(`/api/runs/${id}/cancel`, {})
  expect((await cancel(second)).json).toMatchObject({ status: 'cancelled', ended_at: expect.any(String) })
  expect((await cancel(first)).json.status).toBe('running')
  await expect.poll(() => agent.heardOf('cancel', first)).toBe(1)
  agent.end(first, { status: 'cancelled' })
  await is(first, 'cancelled')
  for (const id of [first, second])
    expect((await cancel(id)).json).toMatchObject({ status: 409, code: 'run_over' })
  expect((await cancel('019cadd3-7f48-7c1e-9a40-5d2b7f60e113')).status).toBe(404)
  const ends = async () => {
    const { json } = await api('/api/audit')
    return json.items
      .filter(({ action }: { action: string }) => action === 'run.ended')
      .map(({ subject, data }: { subject: string; data: object }) => [subject, data])
  }
  await expect.poll(ends).toEqual([
    [`run/${first}`, expect.objectContaining({ status: 'cancelled' })],
    [`run/${second}`, expect.objectContaining({ status: 'cancelled' })],
  ])
})

test('lists are newest first, in pages, of one project or of all', async () => {
  const { pushed, api, under } = await deploying()
  const other = await projectUnderTest(under, 'other')
  const ids: string[] = []
  for (let n = 1; n <= 5; n++) ids.unshift(await pushed(commit(n)), await other.pushed(commit(n)))
  const pages = async (path: string) => {
    const found: string[] = []
    for (let cursor = ''; ; ) {
      const { json } = await api(`${path}?limit=3${cursor && `&cursor=${cursor}`}`)
      found.push(...json.items.map(({ id }: { id: string }) => id))
      if (json.next_cursor === null) return found
      cursor = json.next_cursor
    }
  }
  const all = await pages('/api/runs')
  expect(new Set(all)).toEqual(new Set(ids))
  expect(await pages('/api/projects/hello/runs')).toEqual(all.filter((_, i) => i % 2 === 1))
  for (const cursor of ['x', '%00', Buffer.from('1 or 1').toString('base64url'), '9'.repeat(200)]) {
    expect((await api(`/api/runs?cursor=${cursor}`)).json.code).toBe('invalid_fields')
  }
  expect((await api('/api/projects/nowhere/runs')).status).toBe(404)
})
