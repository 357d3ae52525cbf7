/** A run: one deploy or rollback, accepted once, ended once. */
import { z } from 'zod'
import { document } from './document.ts'
import { id, page, ref, repository, sha, slug, time, url } from './wire.ts'

export const runKind = z.enum(['deploy', 'rollback'])
export type RunKind = z.infer<typeof runKind>

export const runStatus = z.enum(['queued', 'running', 'succeeded', 'failed', 'superseded', 'cancelled'])
export type RunStatus = z.infer<typeof runStatus>

/** In the order in which they are done. */
export const stepName = z.enum(['fetch', 'install', 'before_restart', 'restart', 'verify'])
export type StepName = z.infer<typeof stepName>

export const stepStatus = z.enum(['pending', 'running', 'succeeded', 'skipped', 'failed'])
export type StepStatus = z.infer<typeof stepStatus>

export const step = z.object({
  name: stepName,
  machine: slug.describe('where it is done'),
  status: stepStatus,
  started_at: time.nullable(),
  ended_at: time.nullable(),
  exit: z.int().nullable().describe('exit code of the step’s last program; null: none has ended'),
  detail: z.string().nullable().describe('one sentence: what was done, or why it was skipped or failed'),
})
export type Step = z.infer<typeof step>

export const trigger = z.object({
  by: z.string().min(1).describe('who asked: a kind, a colon and a name, such as token:ci'),
  from: z.string().nullable().describe('the address the call came from; null when it came from no network'),
})
export type Trigger = z.infer<typeof trigger>

export const runError = z.object({
  code: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/)
    .describe('stable; made for programs'),
  message: z.string().describe('one sentence: what went wrong'),
})
export type RunError = z.infer<typeof runError>

export const run = z.object({
  id,
  project: slug,
  repository,
  ref: ref.nullable().describe('the commit that was asked for; null: the newest of the branch'),
  sha: sha.nullable().describe('the commit that was decided on; null until the fetch has decided'),
  status: runStatus,
  kind: runKind,
  trigger,
  created_at: time,
  started_at: time.nullable(),
  ended_at: time.nullable(),
  steps: z.array(step).describe('in the order of the work; one machine after another'),
  error: runError.nullable().describe('why the run failed; null unless it did'),
  restored_sha: sha
    .nullable()
    .describe('what runs again after a failure; null: the service was not touched, or not put back'),
  superseded_by: id.nullable().describe('the run that took its place'),
  url: url.describe('its page in the panel'),
  log_url: url.describe('its log: text, or server-sent events'),
})
export type Run = z.infer<typeof run>

const runId = '019cadd3-7f48-7c1e-9a40-5d2b7f60e113'

export const runDocument = document('run', run, {
  id: runId,
  project: 'hello',
  repository: 'acme/hello',
  ref: '4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394',
  sha: '4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394',
  status: 'failed',
  kind: 'deploy',
  trigger: { by: 'token:ci', from: '203.0.113.9' },
  created_at: '2026-03-02T09:14:05Z',
  started_at: '2026-03-02T09:14:05.120Z',
  ended_at: '2026-03-02T09:14:52.804Z',
  steps: [
    exampleStep('fetch', '09:14:05.120', '09:14:06.310', 'main merged, fast-forward, 3 commits'),
    exampleStep('install', '09:14:06.311', '09:14:06.402', 'skipped: the dependency list has not changed'),
    exampleStep('restart', '09:14:06.410', '09:14:08.020', 'hello.service restarted'),
    exampleStep('verify', '09:14:08.021', '09:14:52.804', 'process exited with code 1 after 2 s'),
  ],
  error: { code: 'verify_failed', message: 'hello exited with code 1 on web-1, 2 s after its restart.' },
  restored_sha: '9b1d7e30c2a84f56b0e3d9c1a7f24865e0b3c9d2',
  superseded_by: null,
  url: `https://admin.example.com/runs/${runId}`,
  log_url: `https://admin.example.com/api/runs/${runId}/log`,
})

export const runPage = page(run)
export type RunPage = z.infer<typeof runPage>

export const runPageDocument = document('run-page', runPage, {
  items: [runDocument.example],
  next_cursor: null,
})

function exampleStep(name: StepName, from: string, until: string, detail: string): Step {
  const status = name === 'verify' ? 'failed' : name === 'install' ? 'skipped' : 'succeeded'
  const [started_at, ended_at] = [`2026-03-02T${from}Z`, `2026-03-02T${until}Z`]
  const exit = name === 'fetch' ? 0 : name === 'verify' ? 1 : null
  return { name, machine: 'web-1', status, started_at, ended_at, exit, detail }
}
