/** `Prefer: wait`: the answer says how the run ended. */
import { expect, test } from 'vitest'
import { AgentUnderTest } from '../fleet/under-test.ts'
import { controlUnderTest } from '../under-test.ts'
import { waitOf } from './outcome.ts'
import { commit, projectUnderTest } from './under-test.ts'

const wait = (seconds: number | string) => ({ headers: { prefer: `wait=${seconds}` } })

async function deploying() {
  const under = await controlUnderTest()
  const project = await projectUnderTest(under)
  const agent = new AgentUnderTest(link => under.control.attach(link)).connect()
  return { ...under, ...project, agent }
}

test('200 when it succeeded, 424 with the run in it when it failed', async () => {
  const { push, agent } = await deploying()
  agent.onOrder = ({ order }) => agent.end(order.id)
  const good = await push(commit(1), wait(60))
  expect([good.status, good.json.status, good.json.ref]).toEqual([200, 'succeeded', commit(1)])
  expect(good.headers).toMatchObject({
    'preference-applied': 'wait=60',
    location: expect.stringContaining(good.json.id),
  })
  agent.onOrder = ({ order }) => agent.fail(order.id, 'hello exited with code 3.')
  const bad = await push(commit(2), wait(60))
  expect(bad.headers['content-type']).toContain('application/problem+json')
  expect(bad.json).toMatchObject({
    status: 424,
    code: 'run_failed',
    detail: 'hello exited with code 3.',
    run: { ref: commit(2), status: 'failed', error: { code: 'verify_failed' } },
  })
})

test('202 with the run as it is when the time is up', async () => {
  const { push, agent, is } = await deploying()
  const reply = await push(commit(1), wait(1))
  expect([reply.status, reply.json.status]).toEqual([202, 'running'])
  agent.end(reply.json.id)
  await is(reply.json.id, 'succeeded')
})

test('one that gave way ends as that which took its place: well, badly, or by being cancelled', async () => {
  const { push, pushed, agent, is, api } = await deploying()
  const cases = [
    [(id: string) => agent.end(id), 200],
    [(id: string) => agent.fail(id), 424],
    [(id: string) => agent.end(id, { status: 'cancelled' }), 424],
  ] as const
  let n = 0
  for (const [end, status] of cases) {
    const first = await pushed(commit(++n))
    await agent.ordered(first)
    const waiting = push(commit(++n), wait(60))
    let second = ''
    await expect
      .poll(async () => {
        second = (await api('/api/runs')).json.items[0].id
        return second
      })
      .not.toBe(first)
    const third = await pushed(commit(++n))
    await is(second, 'superseded')
    agent.end(first)
    await agent.ordered(third)
    end(third)
    const reply = await waiting
    expect(reply.status).toBe(status)
    if (status === 200)
      expect(reply.json).toMatchObject({ id: second, status: 'superseded', superseded_by: third })
    else expect(reply.json).toMatchObject({ code: 'run_failed', run: { id: third } })
    if (status === 424) expect(reply.json.detail).toContain(`It gave way to run ${third}`)
    await is(third, status === 200 ? 'succeeded' : reply.json.run.status)
  }
})

test('424 when it was cancelled while it waited', async () => {
  const { push, pushed, agent, api } = await deploying()
  await agent.ordered(await pushed(commit(1)))
  const waiting = push(commit(2), wait(60))
  const queued = await expect
    .poll(async () =>
      (await api('/api/runs')).json.items.find(({ status }: { status: string }) => status === 'queued'),
    )
    .toBeTruthy()
    .then(async () => (await api('/api/runs')).json.items[0])
  expect((await api(`/api/runs/${queued.id}/cancel`, {})).status).toBe(202)
  expect((await waiting).json).toMatchObject({
    status: 424,
    detail: 'It was cancelled.',
    run: { id: queued.id },
  })
})

test('an overtaken call, which the machine found nothing to do for, is red for nobody', async () => {
  const { push, pushed, agent, is } = await deploying()
  const first = await pushed(commit(2))
  await agent.ordered(first)
  agent.end(first)
  await is(first, 'succeeded')
  agent.onOrder = ({ order }) => agent.end(order.id, { status: 'superseded' })
  const late = await push(commit(1), wait(60))
  expect([late.status, late.json.status, late.json.superseded_by]).toEqual([200, 'superseded', first])
})

test('control stops while somebody waits: the answer comes at once, and the run goes on', async () => {
  const { push, agent, control } = await deploying()
  const { promise, resolve } = Promise.withResolvers<void>()
  agent.onOrder = () => resolve()
  const waiting = push(commit(1), wait(600))
  await promise
  control.beginStop()
  expect((await waiting).status).toBe(202)
})

test.each([
  [undefined, 0],
  ['', 0],
  ['wait', 0],
  ['wait=', 0],
  ['wait=-1', 0],
  ['wait=1.5', 0],
  ['wait=1e3', 0],
  ['wait=ten', 0],
  ['waiting=10', 0],
  ['await=10', 0],
  ['wait=10', 10],
  ['wait=0', 0],
  ['WAIT = "10"', 10],
  ['respond-async, wait=10', 10],
  ['respond-async,wait=10;foo', 10],
  ['wait=10, wait=20', 10],
  ['wait=601', 600],
  ['wait=9999999', 600],
  [`wait=${'9'.repeat(190)}`, 600],
  [`${','.repeat(190)}wait=5`, 5],
  [`wait${' '.repeat(190)}=5x`, 0],
])('Prefer: %j asks for %i s', (prefer, seconds) => {
  expect(waitOf(prefer)).toBe(seconds)
})
