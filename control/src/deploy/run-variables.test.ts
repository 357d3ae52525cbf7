/** Which variables a run is done with, over HTTP and with an agent that does as it is told. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { noVariables } from '@quarterdeck/contract'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { AgentUnderTest, type Order } from '../fleet/under-test.ts'
import { controlUnderTest } from '../under-test.ts'
import { commit, projectUnderTest } from './under-test.ts'

async function deploying() {
  const under = await controlUnderTest()
  const project = await projectUnderTest(under)
  const agent = new AgentUnderTest(link => under.control.attach(link)).connect()
  /** Puts what is ordered in place, as the real one does. */
  const obey = ({ order: { id, kind, ref: asked, variables } }: Order) => {
    const ref = asked!.padEnd(40, 'c')
    const place = { sha: ref, proven_sha: ref, port: null, variables: variables[kind], units: [] }
    agent.say({ type: 'instance', instance: { project: project.name, ...place } })
    agent.end(id, {}, { kind, sha: ref, ref_sha: ref })
  }
  const path = `/api/projects/${project.name}`
  const variables = async () => (await project.api(`${path}/variables`)).json
  return {
    under,
    ...project,
    agent,
    obey,
    variables,
    set: (values: Record<string, string>, secret = false, name = project.name) => {
      const settings = Object.entries(values).map(([key, value]) => [key, { value, secret }])
      const set = Object.fromEntries(settings)
      return project.api(`/api/projects/${name}/variables`, { set }, { method: 'PATCH' })
    },
    plain: async () =>
      Object.fromEntries(
        (await variables()).items.map((item: { name: string; value: string }) => [item.name, item.value]),
      ),
    /** Deploys a commit, well. */
    deployed: async (n: number) => {
      agent.onOrder = obey
      const id = await project.pushed(commit(n))
      await project.is(id, 'succeeded')
      return id
    },
  }
}

/** What the order says a deploy or a rollback runs with. */
function valuesOf({ order, confidential }: Order, kind: 'deploy' | 'rollback') {
  const id = order.variables[kind]
  return id === noVariables ? {} : confidential.variables.find(set => set.id === id)?.values
}

test('without variables an order has none; with them it names a set, and brings it along', async () => {
  const { agent, pushed, set, is, obey } = await deploying()
  const first = await agent.ordered(await pushed(commit(1)))
  expect(first).toMatchObject({
    order: { variables: { deploy: noVariables, rollback: noVariables } },
    confidential: { variables: [] },
  })
  obey(first)
  await is(first.order.id, 'succeeded')
  await set({ LOG: 'info' })
  await set({ KEY: 'sentinel-1' }, true)
  const second = await agent.ordered(await pushed(commit(2)))
  expect(second.confidential.variables).toEqual([
    { id: second.order.variables.deploy, values: { KEY: 'sentinel-1', LOG: 'info' }, secrets: ['KEY'] },
  ])
  expect(second.order.variables.rollback).toBe(second.order.variables.deploy)
})

test('told again it is the very same, whatever has been changed meanwhile', async () => {
  const { agent, do: act, set, deployed, under } = await deploying()
  await set({ LOG: 'info' })
  await deployed(1)
  await set({ LOG: 'debug' })
  await set({ KEY: 'sentinel-1' }, true)
  agent.onOrder = () => undefined
  const { id } = (await act('runs', { ref: commit(1) })).json
  const first = await agent.ordered(id)
  expect(valuesOf(first, 'rollback')).toEqual({ KEY: 'sentinel-1', LOG: 'info' })
  await set({ LOG: 'warn', KEY: 'sentinel-2' }, true)
  agent.connect()
  expect(await agent.ordered(id, 2)).toEqual(first)
  // What can no longer be read the machine has, if it was told before.
  rmSync(join(under.config.home, 'secret.key'))
  agent.connect()
  expect(await agent.ordered(id, 3)).toEqual({ ...first, confidential: { variables: [], git: null } })
})

test('a rollback brings the plain variables of its commit back, and they are the newest then', async () => {
  const { agent, set, deployed, do: act, is, plain, variables, api } = await deploying()
  await set({ LOG: 'info' })
  await set({ KEY: 'sentinel-1' }, true)
  await deployed(1)
  await set({ LOG: 'debug', NEW: 'x' })
  await set({ KEY: 'sentinel-2' }, true)
  await deployed(2)
  const back = (await act('rollback')).json
  await is(back.id, 'succeeded')
  expect(valuesOf(await agent.ordered(back.id), 'rollback')).toEqual({ KEY: 'sentinel-2', LOG: 'info' })
  await until('the revision is there', async () => (await variables()).revision === 5)
  expect(await plain()).toEqual({ KEY: null, LOG: 'info' })
  const { json } = await api('/api/projects/hello/variables/revisions?limit=1')
  expect(json.items).toMatchObject([
    { revision: 5, by: back.trigger.by, set: ['LOG'], unset: ['NEW'], restored_from: 2, run_id: back.id },
  ])
  // To what ran before the rollback, by the commit's own name: with its variables, and with its secrets if asked.
  const forth = (await act('rollback', { to: commit(2).slice(0, 8), secrets: true })).json
  await is(forth.id, 'succeeded')
  expect(valuesOf(await agent.ordered(forth.id), 'rollback')).toEqual({
    ...{ KEY: 'sentinel-2', LOG: 'debug', NEW: 'x' },
  })
  await set({ KEY: 'sentinel-3' }, true)
  const again = (await act('rollback', { to: commit(2), secrets: true })).json
  await is(again.id, 'succeeded')
  expect(valuesOf(await agent.ordered(again.id), 'rollback')).toMatchObject({ KEY: 'sentinel-2' })
  expect((await variables()).instances).toEqual([{ machine: 'local', current: true }])
})

test('of a failed rollback nothing comes back, and what was changed meanwhile stays', async () => {
  const { agent, set, deployed, do: act, is, plain, obey } = await deploying()
  await set({ LOG: 'info' })
  await deployed(1)
  await set({ LOG: 'debug' })
  await deployed(2)
  agent.onOrder = ({ order }) => agent.fail(order.id)
  await is((await act('rollback')).json.id, 'failed')
  expect(await plain()).toEqual({ LOG: 'debug' })
  agent.onOrder = () => undefined
  const back = (await act('rollback')).json.id
  const order = await agent.ordered(back)
  await set({ LOG: 'mine' })
  obey(order)
  await is(back, 'succeeded')
  expect(await plain()).toEqual({ LOG: 'mine' })
})

test('a restart counts as what the commit last ran with', async () => {
  const { agent, set, deployed, do: act, is, api } = await deploying()
  await set({ LOG: 'info' })
  await deployed(1)
  await set({ LOG: 'debug' })
  expect((await api('/api/projects/hello/restart', {})).status).toBe(200)
  const asked = agent.heard.flatMap(message => (message.type === 'ask' ? [message.question] : []))
  expect(asked.at(-1)).toMatchObject({
    what: 'act',
    action: 'restart',
    variables: { values: { LOG: 'debug' } },
  })
  await set({ LOG: 'warn' })
  await deployed(2)
  const back = (await act('rollback')).json.id
  await is(back, 'succeeded')
  expect(valuesOf(await agent.ordered(back), 'rollback')).toEqual({ LOG: 'debug' })
})

test('a run whose secrets cannot be read fails and says why; other projects go on, and a stop needs no key', async () => {
  const { agent, set, push, is, api, under, pushed } = await deploying()
  const other = await projectUnderTest(under, 'other')
  await set({ LOG: 'info' }, false, 'other')
  await set({ KEY: 'sentinel-1' }, true)
  rmSync(join(under.config.home, 'secret.key'))
  agent.onOrder = ({ order }) => agent.end(order.id, {}, { sha: order.ref })
  await other.is(await other.pushed(commit(2)), 'succeeded')
  const failed = await is(await pushed(commit(1)), 'failed')
  expect(failed).toMatchObject({
    error: { code: 'secrets_unreadable', message: expect.stringMatching(/secret\.key is gone/) },
    started_at: expect.any(String),
    ended_at: expect.any(String),
  })
  const waited = await push(commit(3), { headers: { prefer: 'wait=20' } })
  expect([waited.status, waited.json.run.error.code]).toEqual([424, 'secrets_unreadable'])
  expect(agent.orders.map(({ order }) => order.project.name)).toEqual(['other'])
  expect((await api('/api/projects/hello/restart', {})).json.code).toBe('secret_key_unusable')
  expect((await api('/api/projects/hello/stop', {})).status).toBe(200)
})
