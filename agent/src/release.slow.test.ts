/** A deploy that goes well, from the order to the process. */
import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { type AgentUnderTest, agentUnderTest } from './under-test.ts'

test('a deploy brings the new commit to /version, step by step', async () => {
  await using here = await agentUnderTest()
  const sha = here.commit()
  const ended = await here.deploy({ ref: sha })
  expect(ended).toMatchObject({ status: 'succeeded', error: null, restored_sha: null })
  expect(ended.progress).toMatchObject({ kind: 'deploy', ref_sha: sha, sha })
  expect(ended.progress.steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'fetch succeeded',
    'install succeeded',
    'restart succeeded',
    'verify succeeded',
  ])
  expect(ended.progress.steps.map(({ detail }) => detail)).toEqual([
    `${sha.slice(0, 7)} is the newest of the branch.`,
    expect.stringMatching(/^environment built: no requirements, Python 3/),
    `web restarted on ${sha.slice(0, 12)}`,
    `healthy, ready, commit ${sha.slice(0, 12)}`,
  ])
  expect(await here.version()).toMatchObject({ sha })
  expect(readlinkSync(here.layout.current)).toBe(`releases/${sha}`)
  expect(readFileSync(join(here.layout.current, 'REVISION'), 'utf8')).toBe(`${sha}\n`)
  expect(here.head()).toBe(sha)
  expect(here.starts()).toEqual([`web ${sha}`])
  expect(here.control.instance('hello')).toMatchObject({
    sha,
    port: here.port,
    units: [{ name: 'web', state: 'running', restarts: 0 }],
  })
})

test('with an unchanged dependency list the install is skipped and says so', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  const sha = here.commit('good', { 'README.md': 'new' })
  const { progress } = await here.deploy({ ref: sha })
  expect(progress.steps[1]).toMatchObject({
    name: 'install',
    status: 'skipped',
    detail: expect.stringMatching(/^the environment for this dependency list is there/),
  })
  expect(await here.version()).toMatchObject({ sha })
})

test('linked paths lead into data and outlive releases', async () => {
  await using here = await agentUnderTest()
  here.project = { ...here.project, linked_paths: ['uploads/', 'settings.ini'] }
  here.commit('good', { 'settings.ini': 'first' })
  await here.deploy()
  writeFileSync(join(here.layout.current, 'uploads', 'picture'), 'kept')
  const sha = here.commit('good', { 'settings.ini': 'second' })
  expect(await here.deploy()).toMatchObject({ status: 'succeeded' })
  expect(readFileSync(join(here.layout.release(sha), 'uploads', 'picture'), 'utf8')).toBe('kept')
  expect(readFileSync(join(here.layout.current, 'settings.ini'), 'utf8')).toBe('first')
})

test('workers run beside the web process, timers wait, and what the project no longer has is gone', async () => {
  await using here = await agentUnderTest()
  const alone = here.project
  const worker = {
    name: 'worker',
    start: ['python', 'service.py', 'worker'],
    port: null,
    timer: null,
    socket: false,
  }
  const nightly = { ...worker, name: 'nightly', timer: { at: '03:30' } }
  here.project = { ...alone, processes: [...alone.processes, worker, nightly] }
  const sha = here.commit()
  const { status, progress } = await here.deploy()
  expect(status).toBe('succeeded')
  expect(progress.steps.at(-1)!.detail).toBe(`healthy, ready, commit ${sha.slice(0, 12)}; worker runs`)
  await until('the states are told', () => statesOf(here) === 'web running, worker running, nightly waiting')
  expect(here.starts().toSorted()).toEqual([`web ${sha}`, `worker ${sha}`])
  const workerPid = here.control.instance('hello')!.units.find(({ name }) => name === 'worker')!.pid!
  await here.deploy({ project: alone })
  await until('only web is told', () => statesOf(here) === 'web running')
  expect(existsSync(`/proc/${workerPid}`)).toBe(false)
})

test('a project may have workers or timers alone', async () => {
  await using here = await agentUnderTest()
  const worker = {
    name: 'worker',
    start: ['python', 'service.py', 'worker'],
    port: null,
    timer: null,
    socket: false,
  }
  here.commit()
  const first = await here.deploy({ project: { ...here.project, processes: [worker] } })
  expect(first.progress.steps.at(-1)).toMatchObject({ status: 'succeeded', detail: 'worker runs' })
  const timer = { ...worker, timer: { every_s: 3600 } }
  const second = await here.deploy({ project: { ...here.project, processes: [timer] } })
  expect(second.progress.steps.at(-1)).toMatchObject({ detail: 'only timers, which wait for their time' })
  await until('it is told', () => statesOf(here) === 'worker waiting')
  expect(here.control.instance('hello')).toMatchObject({ port: null })
})

test('a deploy starts a service again that an operator has stopped', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  await here.control.act('stop', here.project)
  const sha = here.commit('good', { 'README.md': 'new' })
  expect(await here.deploy()).toMatchObject({ status: 'succeeded' })
  expect(await here.version()).toMatchObject({ sha })
})

test('old releases are removed after a run, and the one before stays', async () => {
  await using here = await agentUnderTest({ limits: { keepVerified: 1, keepDays: 0, releaseBytes: 0 } })
  const shas = [await here.deployGood()]
  for (const text of ['two', 'three', 'four']) {
    shas.push(here.commit('good', { 'README.md': text }))
    expect(await here.deploy()).toMatchObject({ status: 'succeeded' })
  }
  await until('the oldest is gone', () => !existsSync(here.layout.release(shas[0]!)))
  expect(existsSync(here.layout.release(shas[3]!))).toBe(true)
  expect(await here.version()).toMatchObject({ sha: shas[3] })
})

const statesOf = (here: AgentUnderTest) =>
  here.control
    .instance('hello')
    ?.units.map(({ name, state }) => `${name} ${state}`)
    .join(', ')
