/** What every runtime must do, whatever its language. Each runs it with its real interpreter and installer. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { beforeEach, describe, expect, test } from 'vitest'
import { Environments } from '../environments.ts'
import { layoutOf } from '../layout.ts'
import type { Runtime } from './runtime.ts'
import { project, recordingRun } from './under-test.ts'

export interface RuntimeUnderTest {
  readonly name: Runtime['name']
  /** Why it cannot be tried on this machine, or undefined. */
  readonly missing: string | undefined
  /** Keeps all that it needs under the directory. */
  runtime(directory: string): Runtime
  /** Writes a release that needs `told` in that version; there are 1 and 2. */
  writeRelease(release: string, version: string): void
  /** Starts a program that prints the version of `told`, and then the environment variable GREETING. */
  readonly start: readonly string[]
}

export function runtimeSuite({ name, missing, runtime: make, writeRelease, start }: RuntimeUnderTest): void {
  describe(`the runtime ${name}`, () => {
    beforeEach(context => {
      if (missing) context.skip(missing)
    })

    const setUp = (version: string) => {
      const directory = temporaryDirectory()
      const layout = layoutOf(directory, 'shop')
      const release = layout.release(version)
      mkdirSync(release, { recursive: true })
      mkdirSync(layout.data)
      writeRelease(release, version)
      const environments = new Environments(layout)
      return { directory, layout, release, environments, runtime: make(directory) }
    }

    test('the same list gives the same plan, another list another one', async () => {
      const { layout, release, runtime } = setUp('1')
      const { run } = recordingRun()
      const plan = await runtime.plan(release, project({ runtime: name }), run)
      expect(await runtime.plan(release, project({ runtime: name }), run)).toEqual(plan)
      expect(plan).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{32}$/), empty: false })
      mkdirSync(layout.release('2'))
      writeRelease(layout.release('2'), '2')
      const other = await runtime.plan(layout.release('2'), project({ runtime: name }), run)
      expect(other.hash).not.toBe(plan.hash)
    })

    test('a program of the release finds its dependencies, and the caller’s variables', async () => {
      const { layout, release, environments, runtime } = setUp('2')
      const { run } = recordingRun()
      const plan = await runtime.plan(release, project({ runtime: name }), run)
      const build = (to: string) => runtime.build(plan, to, release, project({ runtime: name }), run)
      expect(await environments.ensure(plan, build)).toBe('built')
      expect(await environments.ensure(plan, build)).toBe('reused')
      const place = { release, environment: layout.environment(plan.hash), data: layout.data }
      await runtime.attach?.(release, place.environment)
      const program = runtime.program(start, place, { GREETING: 'hello' })
      expect(program).toMatchObject({ cwd: release, env: { HOME: layout.data, GREETING: 'hello' } })
      expect(await run(program)).toMatchObject({ code: 0, stdout: '2\nhello\n' })
    })

    test('a version that does not exist fails the install, and is named', async () => {
      const { release, environments, runtime } = setUp('9')
      const { run } = recordingRun()
      const plan = await runtime.plan(release, project({ runtime: name }), run)
      const built = environments.ensure(plan, to => runtime.build(plan, to, release, project(), run))
      await expect(built).rejects.toMatchObject({
        code: 'install_failed',
        message: expect.stringMatching(/told.*9/),
      })
      expect(await environments.list()).toEqual([])
    })

    test('an interpreter that is not there is said by name', async () => {
      const { release, runtime } = setUp('1')
      const wanted = project({ runtime: name, interpreter: 'interpreter-from-mars' })
      await expect(runtime.plan(release, wanted, recordingRun().run)).rejects.toMatchObject({
        code: 'interpreter_missing',
        message: expect.stringContaining('interpreter-from-mars'),
      })
    })

    test('a cancel and a time limit are told apart from failures, and leave nothing', async () => {
      const { release, environments, runtime } = setUp('1')
      const plan = await runtime.plan(release, project({ runtime: name }), recordingRun().run)
      const ensure = (run = recordingRun().run) =>
        environments.ensure(plan, to => runtime.build(plan, to, release, project(), run))
      await expect(ensure(recordingRun(AbortSignal.abort()).run)).rejects.toMatchObject({ why: 'cancelled' })
      await expect(ensure(recordingRun(undefined, 1).run)).rejects.toMatchObject({ why: 'timed_out' })
      expect(await environments.list()).toEqual([])
    })

    test('a program with a path is taken from the release, one without that is nowhere stays a name', () => {
      const { directory, release, runtime } = setUp('1')
      const place = { release, environment: join(directory, 'environment'), data: directory }
      expect(runtime.program(['./run', 'a'], place, {})).toMatchObject({
        file: join(release, 'run'),
        args: ['a'],
      })
      expect(runtime.program(['/bin/sh'], place, {}).file).toBe('/bin/sh')
      expect(runtime.program(['nowhere-at-all'], place, {}).file).toBe('nowhere-at-all')
    })
  })
}
