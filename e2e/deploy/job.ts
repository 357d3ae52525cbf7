/** The deploy job of a project that `qd init` made, run as a runner runs it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const script = join(import.meta.dirname, '../../templates/shared/deploy/deploy.py')

export interface Job {
  hook: string
  token: string
  ref: string
  repository?: string
  /** Of the workflow’s run: a run that is run again has the same number and the next attempt. */
  run?: number
  attempt?: number
  patienceS?: number
}

export interface StartedJob {
  process: ChildProcess
  output(): string
  ended: Promise<{ code: number | null; output: string }>
}

/** Past those that tests name themselves. */
let runs = 1000

export function startJob(job: Job): StartedJob {
  const child = spawn('python3', [script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      GITHUB_ACTIONS: 'true',
      GITHUB_SHA: job.ref,
      GITHUB_REPOSITORY: job.repository ?? 'acme/hello',
      GITHUB_RUN_ID: String(job.run ?? ++runs),
      GITHUB_RUN_ATTEMPT: String(job.attempt ?? 1),
      DEPLOY_HOOK_URL: job.hook,
      DEPLOY_TOKEN: job.token,
      ...(job.patienceS !== undefined && { DEPLOY_PATIENCE_S: String(job.patienceS) }),
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', piece => {
      output += piece
    })
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { process: child, output: () => output, ended }
}

export const runJob = (job: Job) => startJob(job).ended
