/** What tests of the Node runtime share: a release, a runtime that knows no registry but the test's, and an npm. */
import { dirname, join } from 'node:path'
import { Environments } from '../environments.ts'
import { layoutOf } from '../layout.ts'
import { candidatesFor } from './interpreter.ts'
import { NodeRuntime } from './node.ts'
import { project, recordingRun, temporaryDirectory, writeFiles } from './under-test.ts'

/** The Node of this test first; npm is beside it or elsewhere. */
export const nodePath = [dirname(process.execPath), process.env.PATH ?? '', '/usr/bin', '/bin'].join(':')

export const npmMissing = candidatesFor('npm', nodePath).length > 0 ? undefined : 'there is no npm'

/** Nobody listens on that port. */
export const nowhere = 'http://127.0.0.1:9/'

export const nodeIn = (directory: string, env: Readonly<Record<string, string>> = {}): NodeRuntime =>
  new NodeRuntime({
    home: join(directory, 'home'),
    env: { PATH: nodePath, npm_config_registry: nowhere, ...env },
  })

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** A release and a Node runtime for it; `say` gives what a program of it prints. */
export const nodeProject = (
  files: Readonly<Record<string, string | Buffer>>,
  env: Readonly<Record<string, string>> = {},
) => {
  const directory = temporaryDirectory()
  const layout = layoutOf(directory, 'shop')
  const release = writeFiles(layout.release('1'), files)
  const environments = new Environments(layout)
  const runtime = nodeIn(directory, env)
  const { run, programs } = recordingRun()
  const wanted = project({ runtime: 'node' })
  const plan = (of = release) => runtime.plan(of, wanted, run)
  const build = async (of = release, running = run) => {
    const made = await plan(of)
    await environments.ensure(made, to => runtime.build(made, to, of, wanted, running))
    const environment = layout.environment(made.hash)
    await runtime.attach(of, environment)
    return { plan: made, environment }
  }
  const say = async (environment: string, ...start: string[]) => {
    const result = await run(runtime.program(start, { release, environment, data: directory }, {}))
    return result.code === 0 ? result.stdout.trim() : result.stderr
  }
  return { directory, layout, release, environments, runtime, run, programs, plan, build, say }
}
