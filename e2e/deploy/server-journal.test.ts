/** A server whose journal takes nothing, hangs or cannot be read: deploys and `qd logs` do without it, and nothing waits for ever. */
import { randomBytes } from 'node:crypto'
import { Machine } from '@quarterdeck/testing'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { service } from './server-services.ts'
import { type ProjectOnServer, Server } from './server-under-test.ts'

const missing = Machine.missing()
const journald = 'systemd-journald.service'
/** A read waits 3 s for a journal that hangs; the rest is a slow machine’s. */
const logLimitMs = 15_000
const exits = "if pathlib.Path('exits').exists():"
let server: Server
let project: ProjectOnServer
let inPlace: string
let count = 0

beforeAll(async () => {
  if (missing) return
  server = await Server.install()
  project = await server.project('hello', [], ['python', '-m', 'app'])
  const talking = service.replace(
    exits,
    `print('starts', sha, flush=True)\nif 'yes' in pathlib.Path('exits').read_text():`,
  )
  inPlace = await project.push({ 'app/__main__.py': talking, exits: 'no' })
  expect(await project.deploy(inPlace)).toMatchObject({ status: 'succeeded', error: null })
  expect(await unitLog()).toContain(`starts ${inPlace}`)
})
afterAll(() => server?.machine.remove())
beforeEach(context => {
  if (missing) context.skip(missing)
})

/** What `qd logs` shows, or says. */
async function unitLog(): Promise<string> {
  const startMs = performance.now()
  const text = await server.qd('logs', 'hello').catch((error: Error) => error.message)
  expect(performance.now() - startMs).toBeLessThan(logLimitMs)
  return text
}

async function deployGood(): Promise<void> {
  const ref = await project.push({ exits: `no ${++count}` })
  expect(await project.deploy(ref)).toMatchObject({ status: 'succeeded', error: null })
  inPlace = ref
}

/** Resolves with the log of the run. */
async function deployBad(): Promise<string> {
  const run = await project.deploy(await project.push({ exits: `yes ${++count}` }))
  expect(run).toMatchObject({
    status: 'failed',
    restored_sha: inPlace,
    error: { code: 'verify_failed', message: expect.stringContaining('the process web ended with code 3') },
  })
  expect(await project.version()).toBe(inPlace)
  return project.log(run.id)
}

const storages = ['/var/log/journal', '/run/log/journal']

async function smallDiskAt(path: string): Promise<void> {
  const { machine } = server
  await machine.ok('mkdir', '--parents', path)
  await machine.ok('mount', '-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', path)
  onTestFinished(() => machine.ok('umount', '--lazy', path).then(() => undefined))
}

/** The journal takes its space ahead: first what is left, then what it has. */
async function fill(): Promise<void> {
  const { machine } = server
  for (const path of storages) await machine.run('dd', ['if=/dev/zero', `of=${path}/filler`, 'bs=4K'])
  const input = Array.from({ length: 3000 }, () => `${randomBytes(700).toString('hex')}\n`).join('')
  await machine.run('systemd-cat', [], { input })
}

test('its disks are full: what units write is lost, and nothing else', async () => {
  const { machine } = server
  // Done last: they are done in reverse.
  onTestFinished(() => machine.ok('systemctl', 'restart', journald).then(() => undefined))
  for (const path of storages) await smallDiskAt(path)
  await machine.ok('systemctl', 'restart', journald)
  await fill()
  await deployGood()
  expect(await unitLog()).not.toContain(inPlace)
  expect(await deployBad()).toContain('there is nothing in web’s own log')
})

test('its service hangs: what is on disk is shown', async () => {
  const { machine } = server
  await deployGood()
  expect(await unitLog()).toContain(`starts ${inPlace}`)
  await machine.ok('systemctl', 'kill', '--signal=STOP', journald)
  onTestFinished(() => machine.ok('systemctl', 'kill', '--signal=CONT', journald).then(() => undefined))
  const before = inPlace
  await deployGood()
  expect(await unitLog()).toContain(`starts ${before}`)
  await deployBad()
})

test('it cannot be read: that is said, and why a run failed as well', async () => {
  const { machine } = server
  await deployGood()
  await machine.ok('mount', '--bind', '/bin/false', '/usr/bin/journalctl')
  onTestFinished(() => machine.ok('umount', '/usr/bin/journalctl').then(() => undefined))
  const why = 'The journal of qd-hello.service could not be read by journalctl: it ended with 1.'
  expect(await unitLog()).toContain(why)
  expect(await deployBad()).toContain(`web’s own log cannot be shown: ${why}`)
})
