/** Agents come, go, ask and answer; what is hostile or malformed ends their connection, and nothing else. */
import { join } from 'node:path'
import type { Question } from '@quarterdeck/contract'
import { systemClock } from '@quarterdeck/kit'
import { memoryLog, temporaryDirectory, until } from '@quarterdeck/testing'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { Events } from '../events/index.ts'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { Store } from '../store/index.ts'
import { Fleet } from './fleet.ts'
import { instancesOf } from './instances.ts'
import { AgentUnderTest } from './under-test.ts'

const machines = [
  { name: 'web-1', address: '192.0.2.1', group: 'web' },
  { name: 'web-2', address: '192.0.2.2', group: 'web' },
  { name: 'any', address: '192.0.2.3', group: null },
]
const busyPorts: Question = { what: 'busy_ports', ports: [8400] }

async function fleetUnderTest() {
  const store = await Store.open(sqliteEngine(join(temporaryDirectory(), 'database.sqlite')))
  const log = memoryLog()
  const events = new Events(store, systemClock)
  const fleet = new Fleet({ store, events, clock: systemClock, log: log.log, machines })
  onTestFinished(async () => {
    fleet.close()
    await store.close()
  })
  const agent = (machine = 'web-1') => new AgentUnderTest(link => fleet.attach(link), machine)
  return { store, events, fleet, log, agent }
}

test('a project is placed by its machines, else by its group', async () => {
  const { fleet } = await fleetUnderTest()
  const names = (group: string, wanted: string[]) =>
    fleet.placement({ group, machines: wanted }).map(({ name }) => name)
  expect(names('web', [])).toEqual(['web-1', 'web-2', 'any'])
  expect(names('other', [])).toEqual(['any'])
  expect(names('other', ['web-2', 'gone'])).toEqual(['web-2'])
})

test('a question is answered, refused, or given up when the agent goes or takes too long', async () => {
  const { fleet, agent } = await fleetUnderTest()
  await expect(fleet.ask('web-1', busyPorts)).rejects.toMatchObject({
    code: 'machine_unreachable',
    retryAfterS: 5,
  })
  const one = agent().connect()
  await until('it is connected', () => fleet.isConnected('web-1'))
  one.answer = () => [8400]
  expect(await fleet.ask('web-1', busyPorts)).toEqual([8400])
  one.answer = undefined
  await expect(fleet.ask('web-1', busyPorts, 1)).rejects.toMatchObject({ code: 'machine_unreachable' })
  const refused = fleet.ask('web-1', busyPorts)
  const { id } = await until('it was asked', () => one.heard.filter(message => message.type === 'ask').at(2))
  one.say({ type: 'reply', id, error: { code: 'restart_failed', message: 'It is busy.' }, value: null })
  await expect(refused).rejects.toMatchObject({ code: 'unit_failed', message: 'It is busy.' })
  const lost = fleet.ask('web-1', busyPorts)
  one.disconnect()
  await expect(lost).rejects.toMatchObject({ code: 'machine_unreachable' })
})

test('the newest connection of a machine counts: the one before is closed, and what was asked over it given up', async () => {
  const { fleet, agent } = await fleetUnderTest()
  const old = agent().connect()
  await until('it is connected', () => fleet.isConnected('web-1'))
  old.answer = undefined
  const lost = fleet.ask('web-1', busyPorts)
  const young = agent().connect()
  await expect(lost).rejects.toMatchObject({ code: 'machine_unreachable' })
  await until('the old one is closed', () => old.isClosed)
  expect([fleet.isConnected('web-1'), young.isClosed]).toEqual([true, false])
  expect(await fleet.ask('web-1', busyPorts)).toEqual([])
})

test('where each agent answers how it is is known as it last said, also while it is away', async () => {
  const { fleet, agent } = await fleetUnderTest()
  const [one, old] = [agent('web-1'), agent('web-2')]
  one.port = 8301
  one.connect()
  old.connect()
  await until('both are connected', () => fleet.isConnected('web-1') && fleet.isConnected('web-2'))
  const places = () => fleet.agents().map(({ machine, port, connected }) => [machine, port, connected])
  expect(places()).toEqual([
    ['web-1', 8301, true],
    ['web-2', null, true],
    ['any', null, false],
  ])
  expect(fleet.agents()[0]!.address).toBe('192.0.2.1')
  one.disconnect()
  await until('it is away', () => !fleet.isConnected('web-1'))
  expect(places()[0]).toEqual(['web-1', 8301, false])
  one.port = null
  one.connect()
  await until('it is back', () => fleet.isConnected('web-1'))
  expect(places()[0]).toEqual(['web-1', null, true])
})

const run_id = '019cadd3-7f48-7c1e-9a40-5d2b7f60e113'
test.each([
  ['no JSON', 'hello'],
  ['half of a message', '{"type":"hello","machine":'],
  ['null', 'null'],
  ['a message of no known type', '{"type":"shutdown"}'],
  ['a hello of a machine that is not ours', '{"type":"hello","machine":"web-9","sha":""}'],
  ['a port that cannot be', '{"type":"hello","machine":"web-1","sha":"","port":70000}'],
  ['a hostile machine name', '{"type":"hello","machine":"__proto__","sha":""}'],
  [
    'anything before the hello',
    '{"type":"run_log","run_id":"019cadd3-7f48-7c1e-9a40-5d2b7f60e113","lines":[{"seq":1,"at":"2026-01-01T00:00:00Z","step":null,"text":"a"}]}',
  ],
  [
    'an instance before the hello',
    '{"type":"instance","instance":{"project":"a","sha":null,"port":null,"units":[]}}',
  ],
])('%s closes the connection', async (_what, text) => {
  const { fleet, agent, log } = await fleetUnderTest()
  const one = agent().connect({ hello: false })
  one.sayText(text)
  await until('it is closed', () => one.isClosed)
  expect(log.lines.some(({ msg }) => /an agent said/.test(String(msg)))).toBe(true)
  expect(machines.some(({ name }) => fleet.isConnected(name))).toBe(false)
})

test('a second hello closes the connection, so that none is two machines’', async () => {
  const { fleet, agent } = await fleetUnderTest()
  const one = agent().connect()
  one.say({ type: 'hello', machine: 'web-2', sha: '' })
  await until('it is closed', () => one.isClosed)
  await until('it is forgotten', () => !fleet.isConnected('web-1'))
  expect(fleet.isConnected('web-2')).toBe(false)
})

test('whatever is sent, control lives on and the next agent is heard', async () => {
  const { fleet, agent } = await fleetUnderTest()
  const heard: string[] = []
  fleet.onMessage((_machine, { type }) => void heard.push(type))
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc
      .record({ type: fc.constantFrom('hello', 'run_log', 'run_ended', 'reply', 'instance') })
      .map(one => JSON.stringify(one)),
    fc.anything().map(value => JSON.stringify({ type: 'run_log', run_id, lines: value })),
  )
  await fc.assert(
    fc.asyncProperty(hostile, async text => {
      const one = agent().connect()
      one.sayText(text)
      await until('it is closed', () => one.isClosed)
    }),
    { numRuns: 50 },
  )
  agent().connect()
  await until('it is heard', () => fleet.isConnected('web-1'))
  expect(new Set(heard)).toEqual(new Set(['hello']))
})

test('what an agent tells of a project is stored once, told as an event once, and shown by machine', async () => {
  const { store, events, fleet, agent } = await fleetUnderTest()
  const [one, two] = [agent('web-2').connect(), agent('web-1').connect()]
  const place = { sha: 'a'.repeat(40), proven_sha: null, port: 8400, variables: null }
  const instance = { project: 'hello', ...place, units: [] }
  for (let i = 0; i < 3; i++) one.say({ type: 'instance', instance })
  two.say({ type: 'instance', instance: { ...instance, sha: null, port: null } })
  const shown = () => store.read(transaction => instancesOf(transaction, 'hello'))
  await until('both are stored', async () => (await shown()).length === 2)
  expect(await shown()).toMatchObject([
    { machine: 'web-1', sha: null },
    { machine: 'web-2', sha: instance.sha, port: 8400 },
  ])
  one.say({ type: 'instance', instance: { ...instance, port: 8401 } })
  await until('the change is stored', async () => (await shown())[1]?.port === 8401)
  const variables = 'ab'.repeat(16)
  one.say({ type: 'instance', instance: { ...instance, port: 8401, variables } })
  await until('other variables are a change', async () => (await shown())[1]?.variables === variables)
  const in_repository = { start: ['python', '-m', 'app'] }
  one.say({ type: 'instance', instance: { ...instance, port: 8401, variables, in_repository } })
  await until('what its repository says is one', async () => (await shown())[1]?.in_repository !== undefined)
  expect((await shown()).map(shown => shown.in_repository)).toEqual([undefined, in_repository])
  const told = (await events.after(0)).map(({ type, data }) => [type, data.machine, data.port])
  expect(told).toEqual([
    ['instance.changed', 'web-2', 8400],
    ['instance.changed', 'web-1', null],
    ['instance.changed', 'web-2', 8401],
    ['instance.changed', 'web-2', 8401],
    ['instance.changed', 'web-2', 8401],
  ])
  expect(fleet.machines).toBe(machines)
})
