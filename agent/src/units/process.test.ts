import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@quarterdeck/kit'
import { FakeClock, memoryLog, temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { endGroup, findTagged } from '../processes.ts'
import { launch } from '../runner.ts'
import { ProcessUnits, type ProcessUnitsOptions } from './process.ts'
import { unitSuite } from './suite.ts'
import { isThere, restartOptions, sampleUnit, startsOf, unitOf, untilState } from './under-test.ts'
import { endTagged } from './unit-process.ts'
import type { UnitRecord } from './unit-record.ts'

const backOff = { firstMs: 20, maxMs: 100, resetAfterMs: 60_000 }
const forever = 'exec sleep 1000'

function agentOn(home: string, options: Partial<ProcessUnitsOptions> = {}): ProcessUnits {
  return new ProcessUnits({
    home,
    clock: systemClock,
    log: memoryLog().log,
    backOff,
    checkMs: 20,
    ...options,
  })
}

async function endAll(home: string): Promise<void> {
  const agent = agentOn(home)
  agent.close()
  await endTagged(`${agent.homeId}:unit:`, 0)
}

unitSuite({ name: 'process', missing: undefined, open: agentOn, endAll })

function newHome(): string {
  const home = temporaryDirectory()
  onTestFinished(() => endAll(home))
  return home
}

async function opened(home: string, options?: Partial<ProcessUnitsOptions>): Promise<ProcessUnits> {
  const agent = agentOn(home, options)
  onTestFinished(() => agent.close())
  await agent.recover()
  return agent
}

/** A settled unit, as it was left by an agent that is gone; `patch` is how its record is found. */
async function leftBehind(home: string, patch: Partial<UnitRecord>, script = forever) {
  const agent = await opened(home)
  await agent.restart(sampleUnit(home, { script }), restartOptions)
  agent.settle('hello', 'web')
  await until('it has begun', () => startsOf(home).length === 1)
  const unit = unitOf(agent)
  agent.close()
  const file = join(home, 'units', 'hello.web.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...patch }))
  return { ...unit, pid: unit.pid!, agent }
}

test('killed after the start and before the pid was written, the agent finds the process by its tag', async () => {
  const home = newHome()
  const { pid, instance } = await leftBehind(home, { pid: null, start_time: null, settled: false })
  const agent = await opened(home)
  await agent.restart(sampleUnit(home, { script: forever }), restartOptions)
  expect(unitOf(agent)).toMatchObject({ state: 'running', pid, instance })
  expect(startsOf(home)).toEqual(['first'])
  process.kill(pid, 'SIGKILL')
  await untilState(agent, 'failed')
})

test('killed before the start, the agent starts it once', async () => {
  const home = newHome()
  const patch = { pid: null, start_time: null, instance: 'never-started', settled: false, started: false }
  const { pid } = await leftBehind(home, patch)
  const agent = await opened(home)
  expect(isThere(pid)).toBe(false)
  expect(unitOf(agent)).toMatchObject({ state: 'failed', pid: null })
  await agent.restart(sampleUnit(home, { script: forever }), restartOptions)
  expect(unitOf(agent).state).toBe('running')
})

test('killed in a stop, the agent goes on with it', async () => {
  const home = newHome()
  const { pid } = await leftBehind(home, { wanted: 'down' })
  const agent = await opened(home)
  expect(isThere(pid)).toBe(false)
  expect(unitOf(agent).state).toBe('stopped')
})

test('a process with the same pid and another start time is somebody else’s: neither taken nor ended', async () => {
  const home = newHome()
  const tag = `test:${home}`
  const stranger = await launch(
    { file: 'sleep', args: ['1000'], cwd: '/', env: { PATH: process.env.PATH ?? '' } },
    { logFile: '/dev/null', tag },
  )
  onTestFinished(() => endGroup(stranger.pid, { graceMs: 0 }))
  await leftBehind(home, { pid: stranger.pid, start_time: 1 })
  const agent = await opened(home)
  const { pid } = await untilState(agent, 'running')
  expect(pid).not.toBe(stranger.pid)
  await agent.stop('hello', 'web', { limitMs: 1000 })
  expect(findTagged(tag)).toHaveLength(1)
})

test('processes of the unit that the record does not know are ended, and those of other homes are not', async () => {
  const [home, otherHome] = [newHome(), newHome()]
  const stray = await leftBehind(home, {
    instance: 'another',
    pid: 999_999_999,
    start_time: 1,
    settled: false,
  })
  const other = await leftBehind(otherHome, {})
  await opened(home)
  expect([isThere(stray.pid), isThere(other.pid)]).toEqual([false, true])
})

test('a record that cannot be read does not keep the others down', async () => {
  const home = newHome()
  const { pid } = await leftBehind(home, {})
  writeFileSync(join(home, 'units', 'hello.broken.json'), '{')
  const { log, text } = memoryLog()
  expect(unitOf(await opened(home, { log })).pid).toBe(pid)
  expect(text()).toContain('hello.broken.json')
})

test('after a restart of the machine what is wanted is started at once', async () => {
  const home = newHome()
  const { pid } = await leftBehind(home, { boot_id: 'an-earlier-boot' })
  const agent = await opened(home, { backOff: { ...backOff, firstMs: 1_000_000 } })
  expect(unitOf(agent)).toMatchObject({ state: 'running', wanted: 'up' })
  expect(unitOf(agent).pid).not.toBe(pid)
})

test('what a process leaves behind is ended before it is started again', async () => {
  const home = newHome()
  const agent = await opened(home)
  const script = 'if [ -e second ]; then exec sleep 1000; fi; touch second; sleep 1000 & exit 1'
  await agent.restart(sampleUnit(home, { script }), restartOptions)
  agent.settle('hello', 'web')
  await until('the second runs', () => unitOf(agent).restarts === 1 && unitOf(agent).state === 'running')
  const { pid } = unitOf(agent)
  expect(findTagged(`${agent.homeId}:unit:`).every(found => found.pgid === pid)).toBe(true)
})

test('one that ended just before it was settled is started again, too', async () => {
  const home = newHome()
  const agent = await opened(home)
  await agent.restart(sampleUnit(home, { script: 'exit 1' }), restartOptions)
  const stop = agent.onChange(() => {
    if (unitOf(agent).state !== 'failed') return
    stop()
    agent.settle('hello', 'web')
  })
  await until('it was started again', () => unitOf(agent).restarts > 0)
})

test('a unit that cannot even be started is tried again', async () => {
  const home = newHome()
  const agent = await opened(home)
  const start = sampleUnit(home, { script: forever })
  const file = join(home, 'program')
  writeFileSync(file, '#!/bin/sh\nexit 1\n', { mode: 0o700 })
  await agent.restart({ ...start, program: { ...start.program, file } }, restartOptions)
  agent.settle('hello', 'web')
  rmSync(file)
  await untilState(agent, 'failed')
  await until('it was tried', () => unitOf(agent).restarts > 1)
  writeFileSync(file, '#!/bin/sh\nexec sleep 1000\n', { mode: 0o700 })
  await untilState(agent, 'running')
})

test('the log stays within its bounds, however much is written', async () => {
  const home = newHome()
  const agent = await opened(home, { logBytes: 20_000 })
  await agent.restart(sampleUnit(home, { script: 'exec yes a line of some length' }), restartOptions)
  const path = join(home, 'unit-logs', 'hello.web.log')
  let emptied = 0
  let before = 0
  await until('it was emptied three times', () => {
    const { size } = statSync(path)
    if (size < before) emptied += 1
    before = size
    return emptied >= 3
  })
  expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(20_000)
  expect((await agent.log('hello', 'web', null, 2)).lines).toEqual(Array(2).fill('a line of some length'))
  await agent.stop('hello', 'web', { limitMs: 1000 })
  expect(statSync(path).size).toBeLessThanOrEqual(20_000)
})

test('hostile bytes in the log come out harmless', async () => {
  const home = newHome()
  const agent = await opened(home)
  const script = String.raw`printf '\033]0;x\007a\377b\000\r\npostgres://u:geheim@h/\n'; head -c 100000 /dev/zero`
  await agent.restart(sampleUnit(home, { script }), restartOptions)
  await untilState(agent, 'failed')
  const { lines } = await agent.log('hello', 'web', null, 10)
  expect(lines.slice(0, 2)).toEqual(['a\ufffdb␀', 'postgres://u:***@h/'])
  expect(lines[2]).toMatch(/^␀+ … \(\d+ bytes more\)$/)
})

test('only we can read records and logs', async () => {
  const home = newHome()
  await leftBehind(home, {})
  const modes = ['units', 'units/hello.web.json', 'unit-logs', 'unit-logs/hello.web.log'].map(
    path => statSync(join(home, path)).mode & 0o077,
  )
  expect(modes).toEqual([0, 0, 0, 0])
})

test('a timer waits, runs when it is due, and waits again', async () => {
  const home = newHome()
  const clock = new FakeClock('2026-03-01T03:00:00Z')
  const agent = await opened(home, { clock })
  const timer = { at: '03:30' }
  await agent.restart(sampleUnit(home, { timer, script: '[ ! -e bad ]' }), restartOptions)
  clock.advance(3_600_000)
  expect(unitOf(agent)).toMatchObject({ state: 'waiting', pid: null })
  agent.settle('hello', 'web')
  clock.advance(86_400_000)
  await until('it has run', () => startsOf(home).length === 1)
  await untilState(agent, 'waiting')
  writeFileSync(join(home, 'projects/hello/data/bad'), '')
  clock.advance(86_400_000)
  await untilState(agent, 'failed')
  expect(startsOf(home)).toEqual(['first', 'first'])
  expect(unitOf(agent).restarts).toBe(0)
})

test('a timer that still runs when it is due is not started a second time', async () => {
  const home = newHome()
  const clock = new FakeClock()
  const agent = await opened(home, { clock })
  const start = { timer: { every_s: 60 }, script: 'until [ -e go ]; do sleep 0.02; done' }
  await agent.restart(sampleUnit(home, start), restartOptions)
  agent.settle('hello', 'web')
  clock.advance(60_000)
  await untilState(agent, 'running')
  clock.advance(70_000)
  const recordFile = join(home, 'units', 'hello.web.json')
  await until('the time has passed', () =>
    readFileSync(recordFile, 'utf8').includes('"2026-01-01T00:02:00.000Z"'),
  )
  writeFileSync(join(home, 'projects/hello/data/go'), '')
  await untilState(agent, 'waiting')
  clock.advance(50_000)
  await until('it ran at its next time', () => startsOf(home).length === 2)
})

test('a deploy does not put a timer off, and a missed time is made up for once', async () => {
  const home = newHome()
  const clock = new FakeClock()
  const timer = { every_s: 3600 }
  const first = await opened(home, { clock })
  await first.restart(sampleUnit(home, { timer, script: 'exit 0' }), restartOptions)
  first.settle('hello', 'web')
  clock.advance(3_000_000)
  await first.restart(sampleUnit(home, { timer, attempt: 'second', script: 'exit 0' }), restartOptions)
  first.settle('hello', 'web')
  first.close()
  clock.advance(8_000_000)
  const second = await opened(home, { clock })
  await until('it ran', () => startsOf(home).length === 1 && unitOf(second).state === 'waiting')
  clock.advance(100_000)
  await second.stop('hello', 'web', { limitMs: 100 })
  expect(startsOf(home)).toEqual(['second'])
})
