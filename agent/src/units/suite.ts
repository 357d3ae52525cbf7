/** What every unit engine must do, whatever it is. Each runs it with real processes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { layoutOf } from '../layout.ts'
import { isThere, restartOptions, sampleUnit, startsOf, unitOf, untilState } from './under-test.ts'
import type { UnitEngine } from './unit-engine.ts'

export interface UnitsUnderTest {
  name: string
  /** Why it cannot be tried on this machine, or undefined. */
  missing: string | undefined
  /** A new agent on this home, with short waits before a process is started again. */
  open(home: string): UnitEngine
  /** Ends whatever still runs of this home. */
  endAll(home: string): Promise<void>
}

const forever = 'exec sleep 1000'

export function unitSuite(units: UnitsUnderTest): void {
  describe(`units by ${units.name}`, () => {
    let home: string
    let engine: UnitEngine

    beforeEach(async context => {
      if (units.missing) context.skip(units.missing)
      home = temporaryDirectory()
      onTestFinished(() => units.endAll(home))
      engine = await opened()
    })

    async function opened(): Promise<UnitEngine> {
      const agent = units.open(home)
      onTestFinished(() => agent.close())
      await agent.recover()
      return agent
    }

    async function reopened(): Promise<UnitEngine> {
      engine.close()
      return opened()
    }

    const restart = (attempt: string, script: string, name = 'web') =>
      engine.restart(sampleUnit(home, { attempt, script, name }), restartOptions)

    test('a unit is started, and told with its process', async () => {
      await restart('first', forever)
      const unit = unitOf(engine)
      expect(unit).toMatchObject({
        project: 'hello',
        state: 'running',
        attempt: 'first',
        wanted: 'up',
        restarts: 0,
      })
      expect(unit.instance).not.toBeNull()
      expect(isThere(unit.pid)).toBe(true)
      expect(engine.list('other')).toEqual([])
    })

    test('a restart ends the old process before the new one starts', async () => {
      await restart(
        'first',
        'trap "echo bye >> web.starts; exit" TERM; echo up; while :; do sleep 0.02; done',
      )
      await until(
        'the first is up',
        async () => (await engine.log('hello', 'web', null, 1)).lines[0] === 'up',
      )
      const before = unitOf(engine)
      await restart('second', forever)
      const after = unitOf(engine)
      expect(isThere(before.pid)).toBe(false)
      expect(after.instance).not.toBe(before.instance)
      await until('the second has begun', () => startsOf(home).length === 3)
      expect(startsOf(home)).toEqual(['first', 'bye', 'second'])
    })

    test('the same attempt again starts nothing while its process lives', async () => {
      await Promise.all([restart('first', forever), restart('first', forever)])
      const { instance } = unitOf(engine)
      await restart('first', forever)
      expect(unitOf(engine).instance).toBe(instance)
      await until('it has begun', () => startsOf(home).length > 0)
      expect(startsOf(home)).toEqual(['first'])
    })

    test('an attempt gets one process: the same again does not start one that has ended', async () => {
      await restart('first', 'exit 1')
      await untilState(engine, 'failed')
      await restart('first', forever)
      expect(unitOf(engine).state).toBe('failed')
      await restart('second', forever)
      expect(unitOf(engine).state).toBe('running')
    })

    test('a program that does not exist fails the restart in words, and the next one can succeed', async () => {
      const start = sampleUnit(home, { script: forever })
      const program = { ...start.program, file: '/nowhere/python' }
      await expect(engine.restart({ ...start, program }, restartOptions)).rejects.toMatchObject({
        code: 'restart_failed',
        message: 'hello/web could not be started: the program /nowhere/python does not exist.',
      })
      expect(unitOf(engine)).toMatchObject({ state: 'failed', pid: null, instance: null })
      await restart('second', forever)
      expect(unitOf(engine).state).toBe('running')
    })

    test('an aborted restart starts nothing', async () => {
      await restart('first', forever)
      const options = { stopLimitMs: 5000, signal: AbortSignal.abort(new Error('cancelled')) }
      const start = sampleUnit(home, { attempt: 'second', script: forever })
      await expect(engine.restart(start, options)).rejects.toThrow('cancelled')
      expect(unitOf(engine)).toMatchObject({ state: 'running', attempt: 'first' })
    })

    test('settled, a unit that ends is started again; not settled, it stays down and tells why', async () => {
      await restart('first', 'exit 7')
      expect(await engine.ended('hello', 'web', restartOptions.signal)).toEqual({ code: 7, signal: null })
      await restart('first', 'exit 1', 'settled')
      engine.settle('hello', 'settled')
      await until('the settled one was started again', () => unitOf(engine, 'settled').restarts >= 2)
      expect(unitOf(engine)).toMatchObject({ state: 'failed', restarts: 0, settled: false })
      expect(startsOf(home)).toEqual(['first'])
    })

    test('the end of a process is told to who waits for it', async () => {
      await restart('first', forever)
      const ended = engine.ended('hello', 'web', restartOptions.signal)
      process.kill(unitOf(engine).pid!, 'SIGKILL')
      expect(await ended).toEqual({ code: null, signal: 'SIGKILL' })
    })

    test('who no longer waits for the end is let go', async () => {
      await restart('first', forever)
      const cancel = new AbortController()
      const ended = engine.ended('hello', 'web', cancel.signal)
      cancel.abort(new Error('enough'))
      await expect(ended).rejects.toThrow('enough')
    })

    test('a stopped unit stays down, also for the next agent, until it is started', async () => {
      await restart('first', forever)
      engine.settle('hello', 'web')
      const { pid } = unitOf(engine)
      await engine.stop('hello', 'web', { limitMs: 5000 })
      expect(isThere(pid)).toBe(false)
      engine = await reopened()
      expect(unitOf(engine)).toMatchObject({ state: 'stopped', wanted: 'down', pid: null })
      await engine.start('hello', 'web')
      expect(unitOf(engine)).toMatchObject({
        state: 'running',
        wanted: 'up',
        attempt: 'first',
        settled: true,
      })
    })

    test('what was never deployed can be stopped and removed, but not started', async () => {
      await engine.stop('hello', 'web', { limitMs: 1 })
      await engine.remove('hello')
      await expect(engine.start('hello', 'web')).rejects.toMatchObject({ code: 'restart_failed' })
      expect(engine.list()).toEqual([])
    })

    test('stop kills a process that ignores SIGTERM, and its children', async () => {
      const loop = 'while :; do sleep 0.05; done'
      await restart('first', `trap "" TERM; (echo $(exec sh -c 'echo $PPID') > child; ${loop}) & ${loop}`)
      const childFile = join(layoutOf(home, 'hello').data, 'child')
      const child = await until('the child runs', () => {
        try {
          return Number(readFileSync(childFile, 'utf8')) || undefined
        } catch {
          return undefined
        }
      })
      const { pid } = unitOf(engine)
      expect([isThere(pid), isThere(child)]).toEqual([true, true])
      await engine.stop('hello', 'web', { limitMs: 200 })
      expect([isThere(pid), isThere(child)]).toEqual([false, false])
    })

    test('the next agent finds the process again, and notices its end', async () => {
      await restart('first', forever)
      const before = unitOf(engine)
      engine = await reopened()
      expect(unitOf(engine)).toEqual(before)
      await restart('first', forever)
      expect(unitOf(engine)).toEqual(before)
      process.kill(before.pid!, 'SIGKILL')
      await untilState(engine, 'failed')
      expect(startsOf(home)).toEqual(['first'])
    })

    test('a settled unit that ended while no agent was there is started by the next', async () => {
      await restart('first', forever)
      engine.settle('hello', 'web')
      const { pid } = unitOf(engine)
      engine.close()
      process.kill(pid!, 'SIGKILL')
      await until('it has ended', () => !isThere(pid))
      engine = await opened()
      expect((await untilState(engine, 'running')).pid).not.toBe(pid)
    })

    test('the log has what the process writes', async () => {
      await restart('first', 'echo out; echo err >&2; printf last')
      await untilState(engine, 'failed')
      const { lines, next } = await engine.log('hello', 'web', null, 10)
      expect(lines).toEqual(['out', 'err', 'last'])
      await restart('second', 'echo again')
      await untilState(engine, 'failed')
      const { lines: later } = await engine.log('hello', 'web', next, 10)
      expect(later.filter(line => line !== '')).toEqual(['again'])
    })

    test('a removed project leaves nothing behind, and one process can be removed alone', async () => {
      for (const name of ['web', 'worker', 'mail']) await restart('first', forever, name)
      const pids = engine.list('hello').map(({ pid }) => pid)
      await engine.remove('hello', 'mail')
      expect(engine.list('hello').map(({ name }) => name)).toEqual(['web', 'worker'])
      await engine.remove('hello')
      expect(pids.map(isThere)).toEqual([false, false, false])
      engine = await reopened()
      expect(engine.list()).toEqual([])
    })

    test('changes are told', async () => {
      const told: string[] = []
      const stop = engine.onChange(project => told.push(`${project} ${unitOf(engine).state}`))
      await restart('first', forever)
      expect(told).toContain('hello running')
      process.kill(unitOf(engine).pid!, 'SIGKILL')
      await until('the end is told', () => told.includes('hello failed'))
      await engine.stop('hello', 'web', { limitMs: 100 })
      expect(told.at(-1)).toBe('hello stopped')
      stop()
      await engine.start('hello', 'web')
      expect(told.at(-1)).toBe('hello stopped')
    })
  })
}
