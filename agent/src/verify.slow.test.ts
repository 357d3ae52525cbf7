/** Every way in which a new build does not prove itself, and that the one before runs again each time. */
import { readlinkSync } from 'node:fs'
import { until } from '@quarterdeck/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EndedRun } from './control-under-test.ts'
import { type AgentUnderTest, agentUnderTest } from './under-test.ts'

// One service for all of them: each test leaves it as it found it, which is what they are about.
let here: AgentUnderTest
let good: string

beforeAll(async () => {
  here = await agentUnderTest()
  good = await here.deployGood()
})
afterAll(() => here.close())

/** Deploys it, and sees to it that the run failed and all is as it was. */
async function deployBad(
  behaviour: string | string[],
  { timeout_s = 10, project = here.project } = {},
): Promise<EndedRun & { message: string; text: string; verifyMs: number; bad: string }> {
  const bad = here.commit(behaviour)
  const ended = await here.deploy({ ref: bad, project: { ...project, health: { timeout_s } } })
  expect(ended).toMatchObject({ status: 'failed', restored_sha: good, error: { code: 'verify_failed' } })
  const step = ended.progress.steps.at(-1)!
  expect(step).toMatchObject({ name: 'verify', status: 'failed' })
  expect(await here.version()).toMatchObject({ sha: good })
  expect(here.head()).toBe(good)
  expect(readlinkSync(here.layout.current)).toBe(`releases/${good}`)
  expect(here.starts().slice(-2)).toEqual([expect.stringContaining(bad), `web ${good}`])
  const verifyMs = Date.parse(step.ended_at!) - Date.parse(step.started_at!)
  return { ...ended, message: ended.error!.message, text: here.textOf(ended), verifyMs, bad }
}

test('a process that exits at once fails it at once, with its code and last words', async () => {
  const { message, text, verifyMs, bad } = await deployBad('exits')
  expect(message).toMatch(/^hello: the process web ended with code 1(, \d\.\d s after its start)?\.$/)
  expect(text).toContain('the last lines of web’s own log:')
  expect(text).toContain(`  web | cannot go on: ${bad}`)
  expect(text).not.toContain(`web starts on ${good}`)
  expect(verifyMs).toBeLessThan(5000)
})

test('a process that dies after a while fails it', async () => {
  const { message } = await deployBad(['dies-after 300', 'never-ready'])
  expect(message).toMatch(/ended with code 4/)
})

test('a process that dies after its first good answer fails it', async () => {
  const { message } = await deployBad('dies-behind 1')
  expect(message).toMatch(/ended with code 4/)
})

test('a service that accepts and never answers fails it at the limit', async () => {
  const { message } = await deployBad('hangs', { timeout_s: 0.5 })
  expect(message).toMatch(/^hello accepts connections on port \d+ and does not answer after \d+ s/)
})

test('a service on another port fails it, and the port it found is named', async () => {
  const { message } = await deployBad('wrong-port', { timeout_s: 0.8 })
  expect(message).toMatch(
    new RegExp(`^hello listens on 0\\.0\\.0\\.0:\\d+, not on port ${here.port} \\(PORT\\)`),
  )
})

test('a service that does not listen at all fails it', async () => {
  const { message } = await deployBad('late 60000', { timeout_s: 0.5 })
  expect(message).toMatch(new RegExp(`^hello does not listen on port ${here.port} after`))
})

test('a service on loopback only fails it before the limit', async () => {
  const { message, verifyMs } = await deployBad('loopback-only', { timeout_s: 60 })
  expect(message).toBe(
    `hello listens on loopback only (127.0.0.1:${here.port}); it must listen on 0.0.0.0, port ${here.port}.`,
  )
  expect(verifyMs).toBeLessThan(20_000)
})

test('a service that tells another commit fails it before the limit', async () => {
  const { message, bad } = await deployBad('other-sha', { timeout_s: 60 })
  expect(message).toBe(`hello tells ${'0'.repeat(40)} at /version instead of ${bad.slice(0, 12)}.`)
})

test('a service that is alive but never ready fails it at the limit, with what it says', async () => {
  const { message } = await deployBad('never-ready', { timeout_s: 0.5 })
  expect(message).toMatch(/^hello is alive but not ready after \d+ s: \/readyz answered 503 .*database/)
})

test('a service that is not healthy fails it at the limit', async () => {
  const { message } = await deployBad('not-healthy', { timeout_s: 0.5 })
  expect(message).toMatch(/^hello answers but is not healthy/)
})

test('a worker that dies fails it, although the web process is well', async () => {
  const worker = {
    name: 'worker',
    start: ['python', 'service.py', 'worker'],
    port: null,
    timer: null,
    socket: false,
  }
  const project = { ...here.project, processes: [...here.project.processes, worker] }
  const bad = here.commit('worker-dies 20')
  const ended = await here.deploy({ project })
  expect(ended).toMatchObject({ status: 'failed', restored_sha: good, error: { code: 'verify_failed' } })
  expect(ended.error!.message).toMatch(/the process worker ended with code 5/)
  expect(here.starts()).toContain(`worker ${bad}`)
  expect(await here.version()).toMatchObject({ sha: good })
  // It was not there before.
  await until('the worker is gone', () => here.control.instance('hello')?.units.length === 1)
})

test('what a service writes comes out clean, whatever it is', async () => {
  const { text } = await deployBad(['spews', 'exits 3'])
  expect(text).toContain('  web | red and �� bytes')
  expect(text).toContain('  web | last words')
  expect(text).toMatch(/ {2}web \| x+ … \(\d+ bytes more\)/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: there must be none
  expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/)
  expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThan(5000)
})

test('a service that listens late proves itself all the same', async () => {
  const sha = here.commit('late 700')
  expect(await here.deploy()).toMatchObject({ status: 'succeeded' })
  expect(await here.version()).toMatchObject({ sha })
  good = sha
})
