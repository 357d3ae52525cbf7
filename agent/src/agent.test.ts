/** What control asks beside runs. */
import { createServer } from 'node:net'
import { unitLog } from '@quarterdeck/contract'
import { freePort, until } from '@quarterdeck/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hangIn } from './hanging-under-test.ts'
import { type AgentUnderTest, agentUnderTest } from './under-test.ts'

// One service for all of them; each leaves it running.
let here: AgentUnderTest
let sha: string

beforeAll(async () => {
  here = await agentUnderTest()
  sha = await here.deployGood()
})
afterAll(() => here.close())

const act = (action: 'start' | 'stop' | 'restart', project = here.project) =>
  here.control.act(action, project)

const answers = () => until('it answers', () => here.version().catch(() => undefined))

test('a service can be stopped and started', async () => {
  const before = await here.version()
  expect(await act('stop')).toBeNull()
  await expect(here.version()).rejects.toThrow()
  await until('it is told', () => here.control.instance('hello')?.units[0]?.state === 'stopped')
  await act('start')
  expect(await answers()).toMatchObject({ sha })
  expect((await here.version()).pid).not.toBe(before.pid)
})

test('what runs is not started again by start', async () => {
  const before = await answers()
  await act('start')
  expect(await here.version()).toEqual(before)
})

test('a service can be restarted, on the release that is in place', async () => {
  const before = await answers()
  here.commit('good', { 'README.md': 'not deployed' })
  await act('restart')
  const after = await answers()
  expect(after.sha).toBe(before.sha)
  expect(after.pid).not.toBe(before.pid)
})

test('a service that was stopped stays down when the agent starts again', async () => {
  await act('stop')
  await here.restartAgent()
  await expect(here.version()).rejects.toThrow()
  await act('start')
  await answers()
})

test('a project that was never deployed cannot be started', async () => {
  const other = { ...here.project, name: 'other' }
  await expect(act('start', other)).rejects.toMatchObject({
    code: 'restart_failed',
    message: 'Nothing of other is deployed on here yet.',
  })
})

test.for(['start', 'stop', 'restart'] as const)('%s is refused while a run is under way', async action => {
  const { run, release } = await hangIn('verify', here)
  const before = here.starts()
  await expect(act(action)).rejects.toMatchObject({
    code: 'restart_failed',
    message: 'A run of hello is under way.',
  })
  expect(here.starts()).toEqual(before)
  await release()
  expect(await run.ended).toMatchObject({ status: 'succeeded' })
})

test('an order that came just before is under way already', async () => {
  const run = here.begin()
  await expect(act('stop')).rejects.toMatchObject({ message: 'A run of hello is under way.' })
  expect(await run.ended).toMatchObject({ status: 'succeeded' })
})

test('ports in use are found', async () => {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const free = await freePort()
  const asked = await here.control.ask({ what: 'busy_ports', ports: [port, free, here.port] })
  expect(asked).toEqual([port, here.port])
  await new Promise(resolve => server.close(resolve))
})

test('the log of a unit is read from its end, and on from where it was read', async () => {
  await answers()
  const question = { what: 'unit_log', project: 'hello', process: 'web', lines: 1 } as const
  const last = unitLog.parse(await here.control.ask({ ...question, after: null }))
  expect(last.lines).toEqual([expect.stringMatching(/^web starts on [0-9a-f]{40}$/)])
  await act('restart')
  await answers()
  const next = unitLog.parse(await here.control.ask({ ...question, lines: 100, after: last.next }))
  expect(next.lines).toEqual(last.lines)
  expect(next.next).toBeGreaterThan(last.next)
})

test('removed, its processes are gone, and started it is there again', async () => {
  const { pid } = await answers()
  expect(await here.control.ask({ what: 'remove', project: 'hello' })).toBeNull()
  await expect(here.version()).rejects.toThrow()
  expect(() => process.kill(pid, 0)).toThrow()
  await until('it is told', () => here.control.instance('hello')?.units.length === 0)
  await act('start')
  await answers()
})

test('a message that nobody understands changes nothing', async () => {
  const before = await answers()
  here.control.send({ type: 'dance' } as never)
  await until('it is in the agent’s log', () => here.log.text().includes('a message failed'))
  expect(await here.version()).toEqual(before)
})
