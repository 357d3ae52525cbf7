import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '@quarterdeck/kit'
import { memoryLog, temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { findTagged } from '../processes.ts'
import { launch } from '../runner.ts'
import { ProcessUnits } from './process.ts'
import { isThere, restartOptions, sampleUnit, startsOf, unitOf } from './under-test.ts'
import { endTagged } from './unit-process.ts'

/** An agent of its own process, which restarts the unit again and again until it is killed. */
const agentScript = (home: string, rounds: number) => `
  import { systemClock } from '@quarterdeck/kit'
  import { pino } from 'pino'
  import { ProcessUnits } from ${JSON.stringify(join(import.meta.dirname, 'process.ts'))}
  const units = new ProcessUnits({
    home: ${JSON.stringify(home)}, clock: systemClock, log: pino({ level: 'silent' }),
  })
  await units.recover()
  process.stdout.write('recovered\\n')
  const start = ${JSON.stringify(sampleUnit(home, { script: 'exec sleep 1000' }))}
  const options = { stopLimitMs: 1000, signal: new AbortController().signal }
  for (let round = 0; round < ${rounds}; round += 1) {
    await units.restart({ ...start, attempt: process.pid + '-' + round }, options)
    process.stdout.write('started\\n')
  }
  units.settle('hello', 'web')
  setInterval(() => undefined, 1000)
`

function newHome() {
  const home = temporaryDirectory()
  const agent = new ProcessUnits({ home, clock: systemClock, log: memoryLog().log })
  onTestFinished(async () => {
    agent.close()
    await endTagged(agent.homeId, 0)
  })
  return { home, agent, tag: agent.homeId }
}

async function startAgent(home: string, tag: string, rounds: number) {
  const logFile = join(temporaryDirectory(), 'agent.log')
  const program = {
    file: process.execPath,
    args: ['--input-type=module', '--eval', agentScript(home, rounds)],
    cwd: import.meta.dirname,
    env: { PATH: process.env.PATH ?? '' },
  }
  const { pid, exited } = await launch(program, { logFile, tag })
  const kill = async () => {
    expect(isThere(pid), readFileSync(logFile, 'utf8')).toBe(true)
    process.kill(pid, 'SIGKILL')
    expect(await exited).toEqual({ code: null, signal: 'SIGKILL' })
  }
  const prints = (text: string) =>
    until(`the agent prints ${text}`, () => readFileSync(logFile, 'utf8').includes(text), limitMs)
  return { kill, prints }
}

// Each agent is a Node of its own, which takes its time to start on a busy machine.
const limitMs = 60_000

test('a unit outlives an agent that is killed, and the next agent finds it', {
  timeout: limitMs,
}, async () => {
  const { home, agent, tag } = newHome()
  const { kill, prints } = await startAgent(home, tag, 1)
  await prints('started')
  await kill()
  await agent.recover()
  expect(unitOf(agent)).toMatchObject({ state: 'running' })
  await until('it has begun', () => startsOf(home).length === 1)
  expect(findTagged(`${tag}:unit:`).map(({ pid }) => pid)).toEqual([unitOf(agent).pid])
})

test('whenever the agent is killed, there are never two processes', { timeout: limitMs }, async () => {
  const { home, agent, tag } = newHome()
  for (let time = 0; time < 4; time += 1) {
    const { kill, prints } = await startAgent(home, tag, 1_000_000)
    await prints('started')
    // Not for anything to happen: to hit another instant each time.
    await wait(Math.random() * 100)
    await kill()
    expect(new Set(findTagged(`${tag}:unit:`).map(({ pgid }) => pgid)).size).toBeLessThanOrEqual(1)
  }
  await agent.recover()
  const [found] = findTagged(`${tag}:unit:`)
  expect(unitOf(agent).pid).toBe(found?.pid ?? null)
  await agent.restart(sampleUnit(home, { attempt: 'last', script: 'exec sleep 1000' }), restartOptions)
  expect(findTagged(`${tag}:unit:`).map(({ pid }) => pid)).toEqual([unitOf(agent).pid])
})
