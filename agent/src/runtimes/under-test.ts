/** What tests of runtimes share: a project, a release, and the agent's own way to run programs. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PlacedProject } from '@quarterdeck/contract'
import { temporaryDirectory } from '@quarterdeck/testing'
import { type Program, run } from '../runner.ts'
import { candidatesFor } from './interpreter.ts'
import { PythonRuntime, type PythonRuntimeOptions } from './python.ts'
import type { Run } from './runtime.ts'

export { temporaryDirectory }

/** Debian's own where it is: pyenv's shims make every test slow. */
export const path = existsSync('/usr/bin/python3') ? '/usr/bin:/bin' : process.env.PATH!

export const pythonMissing = candidatesFor('python3', path).length > 0 ? undefined : 'there is no python3'

export const project = (change: Partial<PlacedProject> = {}): PlacedProject => ({
  name: 'shop',
  git_url: '/nowhere',
  branch: 'main',
  runtime: 'python',
  interpreter: null,
  processes: [],
  before_restart: null,
  linked_paths: [],
  health: { timeout_s: 60 },
  limits: { fetch_s: 60, install_s: 60, before_restart_s: 60, restart_s: 60 },
  adopted: null,
  ...change,
})

/** Runs programs for real, and remembers which. */
export function recordingRun(signal: AbortSignal = new AbortController().signal, timeoutMs = 60_000) {
  const programs: Program[] = []
  const record: Run = program => {
    programs.push(program)
    return run(program, { signal, timeoutMs, tag: 'test' })
  }
  return { run: record, programs }
}

/** A Python runtime that knows no index but the wheels in `directory/wheels`. */
export function offlinePython(directory: string, change: Partial<PythonRuntimeOptions> = {}): PythonRuntime {
  mkdirSync(join(directory, 'wheels'), { recursive: true })
  const env = { PATH: path, HOME: directory, PIP_NO_INDEX: '1', PIP_FIND_LINKS: join(directory, 'wheels') }
  return new PythonRuntime({
    home: join(directory, 'home'),
    pipConfiguration: [],
    ...change,
    env: { ...env, ...change.env },
  })
}

export function writeFiles(directory: string, files: Readonly<Record<string, string | Buffer>>): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), content)
  }
  return directory
}

/** A release and a Python runtime for it; `say` gives what a program of it prints. */
export const pythonProject = (files: Record<string, string>, change: Partial<PythonRuntimeOptions> = {}) => {
  const directory = temporaryDirectory()
  const release = writeFiles(join(directory, 'release'), files)
  const environment = join(directory, 'environment')
  const { run, programs } = recordingRun()
  const runtime = offlinePython(directory, change)
  const build = async (wanted = project()) => {
    const plan = await runtime.plan(release, wanted, run)
    await runtime.build(plan, environment, release, wanted, run)
    return plan
  }
  const say = async (...start: string[]) =>
    (await run(runtime.program(start, { release, environment, data: directory }, {}))).stdout.trim()
  const wheels = join(directory, 'wheels')
  return { directory, release, environment, run, programs, runtime, build, say, wheels }
}
