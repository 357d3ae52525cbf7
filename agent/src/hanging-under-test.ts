/** For each step, a run that stays in it until it is let go. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StepName } from '@quarterdeck/contract'
import { HttpRemote } from './remote-under-test.ts'
import { writeSources } from './runtimes/wheel-under-test.ts'
import { type AgentUnderTest, type Begun, until } from './under-test.ts'

export interface Hanging {
  readonly run: Begun
  /** The commit that it wants. */
  readonly sha: string
  /** Lets the step go on, also when it is done again. */
  release(): Promise<void>
}

export type HangingStep = Exclude<StepName, 'restart'>

/** A good release runs already. Resolves when the step is really at it. */
export function hangIn(step: HangingStep, here: AgentUnderTest): Promise<Hanging> {
  return { fetch: inFetch, install: inInstall, before_restart: inPrepare, verify: inVerify }[step](here)
}

async function inFetch(here: AgentUnderTest): Promise<Hanging> {
  const sha = here.commit('good', { 'README.md': 'new' })
  const remote = await HttpRemote.serving(here.remote)
  here.onClose(() => remote[Symbol.asyncDispose]())
  remote.mode = 'hang'
  const run = here.begin({ project: { ...here.project, git_url: remote.url } })
  await until('git calls', () => remote.calls > 0)
  const release = async () => {
    remote.mode = 'answer'
  }
  return { run, sha, release }
}

async function inInstall(here: AgentUnderTest): Promise<Hanging> {
  const [flag, seen] = [join(here.directory, 'hang'), join(here.directory, 'seen')]
  const wait = `import time\nopen('${seen}', 'w')\nwhile os.path.exists('${flag}'): time.sleep(0.02)`
  writeSources(join(here.remote.directory, 'slow'), 'slow', 'built', wait)
  writeFileSync(flag, '')
  const sha = here.commit('good', { 'requirements.txt': './slow\n' })
  const run = here.begin()
  await until('pip builds', () => existsSync(seen) || here.control.isOver(run.id))
  return { run, sha, release: async () => rmSync(flag, { force: true }) }
}

async function inPrepare(here: AgentUnderTest): Promise<Hanging> {
  const sha = here.commit(['good', 'prepare-hangs'])
  const before_restart = ['python', 'service.py', 'prepare']
  const run = here.begin({ project: { ...here.project, before_restart } })
  await until('it prepares', () => here.starts('prepared.log').length > 0)
  return { run, sha, release: async () => undefined }
}

async function inVerify(here: AgentUnderTest): Promise<Hanging> {
  const sha = here.commit('good')
  const broken = join(here.layout.data, 'broken')
  writeFileSync(broken, '')
  const run = here.begin()
  await here.untilStep(run.id, 'verify')
  await until('it is started', () => here.starts().includes(`web ${sha}`))
  return { run, sha, release: async () => rmSync(broken, { force: true }) }
}
