/** Pushes in the queue, and what a machine makes of them. */
import { join } from 'node:path'
import { FakeClock } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { pruneDeliveries, pruneStatuses } from '#forge'
import { Store } from '#store'
import { commit, projectUnderTest } from '../deploy/under-test.ts'
import { AgentUnderTest } from '../fleet/under-test.ts'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { controlUnderTest } from '../under-test.ts'
import { hookUnderTest, pushOf } from './under-test.ts'

const [a, b, c, d] = [1, 2, 3, 4].map(commit) as [string, string, string, string]
async function hooked() {
  const under = await controlUnderTest()
  const project = await projectUnderTest(under)
  const hook = await hookUnderTest(under)
  const agent = new AgentUnderTest(link => under.control.attach(link)).connect()
  return { under, ...project, ...hook, agent }
}

test('a relevant push is not lost behind one that is not: what takes its place looks back as far', async () => {
  const { deliver, agent, push, do: act, is, run } = await hooked()
  const first = (await deliver(pushOf(a, b))).json.id
  await agent.ordered(first)
  const relevant = (await deliver(pushOf(b, c))).json.id
  const readme = (await deliver(pushOf(c, d))).json.id
  expect(await run(relevant)).toMatchObject({ status: 'superseded', superseded_by: readme })
  agent.end(first)
  const { order } = await agent.ordered(readme)
  expect(order).toMatchObject({ ref: d, only_for: { since: [b, c] } })
  agent.end(readme)
  await is(readme, 'succeeded')

  // With a call that is to be done anyway, before or after it, it is done anyway.
  await act('hold')
  await push(commit(5))
  const after = (await deliver(pushOf(commit(5), commit(6)))).json.id
  await act('resume')
  expect((await agent.ordered(after)).order).not.toHaveProperty('only_for')
  agent.end(after)
  await is(after, 'succeeded')
  await act('hold')
  await deliver(pushOf(commit(6), commit(7)))
  const anyway = (await push(commit(8))).json.id
  await act('resume')
  expect((await agent.ordered(anyway)).order).not.toHaveProperty('only_for')
})

test('a run with nothing to do has ended well, and no other run took its place', async () => {
  const { deliver, agent, is } = await hooked()
  const first = (await deliver(pushOf(a, b))).json.id
  await agent.ordered(first)
  agent.end(first)
  await is(first, 'succeeded')
  const second = (await deliver(pushOf(b, c))).json.id
  await agent.ordered(second)
  agent.end(second, { status: 'superseded', unchanged: true })
  expect(await is(second, 'superseded')).toMatchObject({ superseded_by: null, error: null })
})

test('deliveries are kept for 30 days, statuses that were sent as long', async () => {
  const clock = new FakeClock(new Date().toISOString())
  const under = await controlUnderTest({}, clock)
  const project = await projectUnderTest(under)
  const { deliver } = await hookUnderTest(under)
  const store = await Store.open(sqliteEngine(join(under.config.home, 'database.sqlite')))
  onTestFinished(() => store.close())
  const afterDays = async (days: number) => {
    clock.advance(days * 86_400_000)
    await store.write(transaction => pruneDeliveries(transaction, clock))
    await store.write(transaction => pruneStatuses(transaction, clock))
    const rows = await store.read(transaction =>
      transaction.selectFrom('hook_delivery').selectAll().execute(),
    )
    return rows.length
  }
  await deliver(pushOf(a, b))
  expect([await afterDays(29), await afterDays(2)]).toEqual([1, 0])
  expect(await project.runs()).toHaveLength(1)
})
