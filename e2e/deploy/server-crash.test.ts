/** On a server with a real systemd the agent is killed, and the power cut, in each step of a run. */
import { Machine, until } from '@quarterdeck/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { builtPackage, service } from './server-services.ts'
import { type ProjectOnServer, Server } from './server-under-test.ts'

const missing = Machine.missing()
/** What the journal says when the step is under way. */
const steps = {
  fetch: 'began',
  install: 'installing',
  before_restart: 'preparing',
  restart: 'restarting',
  verify: 'verifying',
}
let server: Server
let project: ProjectOnServer
let inPlace: string
let count = 0

beforeAll(async () => {
  if (missing) return
  server = await Server.install()
  project = await server.project('hello', ['--before-restart', 'python step.py'], ['python', '-m', 'app'])
  inPlace = await project.push({ 'app/__main__.py': service, 'step.py': 'pass' })
  expect(await project.deploy(inPlace)).toMatchObject({ status: 'succeeded', error: null })
})
afterAll(() => server?.machine.remove())
beforeEach(context => {
  if (missing) context.skip(missing)
})

/** A commit with which that step takes long enough to be met. */
const commitFor = (step: string, exits = false) =>
  project.push({
    number: String(++count),
    ...(step === 'install' && builtPackage(`hello ${count}`, `time.sleep(1.5) # ${count}`)),
    'step.py': step === 'before_restart' ? 'import time\ntime.sleep(1.5)' : 'pass',
    ...(exits && { exits: 'yes' }),
  })

async function meets(entry: string, fault: () => Promise<unknown>, ref: string) {
  const before = project.starts().length
  const id = await project.begin(ref)
  await project.reached(id, entry)
  await fault()
  const run = await project.ended(id)
  const wanted = run.status === 'succeeded' ? ref : inPlace
  await project.answers(wanted)
  expect(await server.transientUnits()).toBe('')
  return { run, starts: project.starts().slice(before) }
}

const killAgent = () => server.machine.ok('systemctl', 'kill', '--signal=KILL', 'quarterdeck-agent.service')
/** The agent first: it must not see, as nobody does whose power is cut, that systemd is gone. */
const cutPower = async () => {
  process.kill(server.agentPid(), 'SIGKILL')
  await server.machine.powerCut()
  await server.machine.reboot()
}

test.each(Object.entries(steps))('the agent is killed in %s', async (step, entry) => {
  const ref = await commitFor(step)
  const { run, starts } = await meets(entry, killAgent, ref)
  if (step === 'before_restart') {
    expect(run).toMatchObject({ status: 'failed', error: { code: 'interrupted' } })
    expect(starts).toEqual([])
    return
  }
  expect(run).toMatchObject({ status: 'succeeded', error: null })
  expect(starts).toEqual([ref])
  inPlace = ref
})

test.each(Object.entries(steps))('the power is cut in %s', async (step, entry) => {
  const ref = await commitFor(step)
  const { run, starts } = await meets(entry, cutPower, ref)
  const news = starts.filter(sha => sha === ref).length
  const olds = starts.filter(sha => sha === inPlace).length
  if (step === 'before_restart') {
    expect(run).toMatchObject({ status: 'failed', error: { code: 'interrupted' } })
    expect([news, olds]).toEqual([0, 1])
    return
  }
  expect(run).toMatchObject({ status: 'succeeded', error: null })
  // One start in each life of the machine, of what was in place. The power may go before the first is noted.
  const wanted =
    step === 'fetch' || step === 'install'
      ? [[1, 1]]
      : [
          [1, 0],
          [2, 0],
        ]
  expect(wanted).toContainEqual([news, olds])
  inPlace = ref
})

test('a commit that exits and meets a power cut is taken back', async () => {
  const { run } = await meets('restarting', cutPower, await commitFor('restart', true))
  expect(run).toMatchObject({ status: 'failed', restored_sha: inPlace })
})

test('killed while it builds what was checked out by hand, the agent goes on with it', async () => {
  const { machine } = server
  const work = `${project.root}/work`
  const ref = await project.push({ ...builtPackage('by hand', 'time.sleep(3)'), exits: null })
  await machine.ok('git', '-C', work, 'fetch', '--quiet', project.path, 'main')
  await machine.ok('git', '-C', work, 'checkout', '--quiet', ref)
  await machine.ok('systemctl', 'restart', 'qd-hello.service')
  await until('it is being built', async () => (await server.transientUnits()) !== '', 20_000)
  await killAgent()
  await project.answers(ref)
  expect(await project.ask('/greeting')).toMatchObject({ text: 'by hand' })
})
