/**
 * The demo of a first start: two sample services, each in development and in production, deployed through the webhook
 * from repositories in the home. It comes up behind an environment that is ready, and what is made stays made: one
 * that was stopped half-way is finished by the next start.
 */
import { Fault, operations, type Project } from '@quarterdeck/contract'
import type { Logger } from 'pino'
import { api } from '../api.ts'
import { checkProgram, git, type Program } from '../doctor/programs.ts'
import { GuidedFault } from '../fail.ts'
import { ending, hasEnded } from '../run/ending.ts'
import { followToEnd, silent } from '../run/see-through.ts'
import { callWebhook, deployerOf } from './deploy.ts'
import { writeHook } from './hook.ts'
import { addProject, ensureToken, isDemos, projectsOf } from './projects.ts'
import { headOf, makeRepository } from './repository.ts'
import { type Sample, type SampleProject, samples } from './samples.ts'
import { readDemo, recordDemo } from './state.ts'
import type { Telling } from './telling.ts'

export interface DemoOptions {
  home: string
  tell: Telling
  log: Logger
  /** Of a host. */
  url(name: string): string
}

export interface Demo {
  /** Resolves when nothing of it is under way any more; what is left is done at the next start. */
  stop(): Promise<void>
}

/** Of a home where a demo is wanted; see `wantDemo`. */
export function startDemo(options: DemoOptions): Demo {
  const stop = new AbortController()
  const ended = bringUp({ ...options, signal: stop.signal }).catch(error => {
    if (!stop.signal.aborted) options.log.error({ err: error }, 'the demo was given up')
  })
  return {
    async stop() {
      stop.abort()
      await ended
    },
  }
}

type Scene = DemoOptions & { signal: AbortSignal }

async function bringUp(scene: Scene): Promise<void> {
  const { home, tell } = scene
  const state = readDemo(home)
  if (!state) return
  const inState = (...states: string[]) =>
    samples.filter(({ runtime }) => states.includes(state[runtime].state))
  for (const sample of inState('done')) writeHook(home, sample)
  const left = inState('wanted', 'left_out')
  if (left.length === 0) return
  const known = await projectsOf(api({ home }))
  if (!known.every(project => isDemos(home, project))) return end(home, left)
  if (await leaveOutWithout(git, left, scene)) return
  tell.note('Setting up the demo: two sample services, each in development and in production …')
  const outcomes = await Promise.allSettled(left.map(sample => bringUpSample(sample, known, scene)))
  const invited = left.find((_, i) => outcomes[i]?.status === 'fulfilled' && outcomes[i].value)
  if (invited) tell.invite(home, invited)
  const broken = outcomes.find(({ status }) => status === 'rejected')
  if (broken) throw (broken as PromiseRejectedResult).reason
}

/** Whoever has projects of their own needs no demo. */
function end(home: string, left: readonly Sample[]): void {
  for (const { runtime } of left) recordDemo(home, runtime, { state: 'over' })
}

/** Whether it runs. */
async function bringUpSample(sample: Sample, known: readonly Project[], scene: Scene): Promise<boolean> {
  const { home, signal } = scene
  try {
    if (await leaveOutWithout(sample.needs, [sample], scene)) return false
    recordDemo(home, sample.runtime, { state: 'wanted' })
    await makeRepository(home, sample, signal)
    writeHook(home, sample)
    const isWanted = await register(sample, known, home)
    if (!isWanted) {
      end(home, [sample])
      return false
    }
    const ref = await headOf(home, sample, signal)
    for (const project of sample.projects) await deployOnce(sample, project, ref, scene)
    recordDemo(home, sample.runtime, { state: 'done' })
    return true
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Fault)) throw error
    leaveOut(sample, scene, error.message, error.entry.remedy)
    return false
  }
}

/** False: one of its projects was archived. */
async function register(sample: Sample, known: readonly Project[], home: string): Promise<boolean> {
  const operator = api({ home })
  for (const project of sample.projects) {
    const isThere = known.some(({ name }) => name === project.name)
    if (!isThere && !(await addProject(operator, home, sample, project))) return false
    await ensureToken(operator, home, sample, project)
  }
  return true
}

/** A run that was under way when the environment ended has been taken up again by its agent. */
async function deployOnce(
  sample: Sample,
  project: SampleProject,
  ref: string,
  { home, tell, url, signal }: Scene,
): Promise<void> {
  const { name } = project
  const deployer = deployerOf(home, sample, project)
  const { items } = await deployer.call(operations.listProjectRuns, { params: { name } })
  if (items.some(({ status }) => status === 'succeeded')) return
  const run = items.find(known => !hasEnded(known)) ?? (await callWebhook(deployer, sample, project, ref))
  const ended = await followToEnd(deployer, run, silent, signal)
  signal.throwIfAborted()
  const { ok, sentence, remedy } = ending(ended!)
  if (!ok) throw new GuidedFault('run_failed', sentence, remedy ?? '')
  tell.runs(project, url(name), ended!)
}

/** Whether the program is missing, and so these samples are. */
async function leaveOutWithout(program: Program, without: readonly Sample[], scene: Scene): Promise<boolean> {
  const { ok, name, found, remedy } = await checkProgram(program)
  scene.signal.throwIfAborted()
  if (ok) return false
  const reason = `${name} ${found === 'not installed' ? 'is not installed' : found}`
  for (const sample of without) leaveOut(sample, scene, reason, `${remedy}, then start again`)
  return true
}

function leaveOut({ runtime, name }: Sample, { home, tell }: Scene, reason: string, remedy: string): void {
  recordDemo(home, runtime, { state: 'left_out', reason, remedy })
  tell.bad(`The demo goes without ${name}: ${reason.replace(/\.?$/, '.')}`, remedy)
}
