/**
 * What control and an agent say to each other: the same serialised messages whether the agent is in the same process or
 * on a machine far away. Each may be lost with its connection, so each can be sent again: a run is known by its id, what
 * is reported is the whole of it, and a new connection begins with `hello`.
 */
import { z } from 'zod'
import { adoption } from './adoption.ts'
import { projectProcess, stepLimits } from './project-create.ts'
import { gitAccess } from './repository-access.ts'
import { repositorySettingsFile, saidInRepository } from './repository-settings.ts'
import { runError, runKind, runStatus, step, stepName } from './run.ts'
import { noVariables, variableSet, variableSetId } from './variable.ts'
import { id, port, ref, runtime, sha, slug, time } from './wire.ts'

/** What an agent needs to know of a project. */
export const placedProject = z.object({
  name: slug,
  git_url: z.string(),
  branch: z.string(),
  runtime,
  interpreter: z.string().nullable(),
  processes: z.array(projectProcess).min(1),
  before_restart: z.array(z.string()).nullable(),
  linked_paths: z.array(z.string()),
  health: z.object({ timeout_s: z.number() }),
  limits: stepLimits,
  adopted: adoption.nullable().default(null),
})
export type PlacedProject = z.infer<typeof placedProject>

/** A run as an agent is asked to do it. */
export const runOrder = z.object({
  id,
  kind: runKind,
  ref: ref.nullable().describe('the commit that was asked for; null: the newest of the branch'),
  sent_before: z
    .array(z.string())
    .describe('commits that begin like ref and were asked for in runs that ended succeeded or superseded'),
  discard: z.boolean().describe('give up changes and commits in the working copy'),
  only_for: z
    .object({
      since: z.array(sha).min(1).describe('where the branch was before each of the pushes'),
      paths: z.array(z.string()).min(1).describe('files, or with a slash at their end directories'),
    })
    .optional()
    .describe('of a forge’s push: there is something to do only if the branch has changed so since'),
  variables: z
    .object({ deploy: variableSetId, rollback: variableSetId })
    .default({ deploy: noVariables, rollback: noVariables })
    .describe('which variables it runs with, as the machine decides what it is'),
  project: placedProject,
})
export type RunOrder = z.infer<typeof runOrder>

/** What goes with an order and is in no journal: an agent keeps it for itself alone. */
export const confidential = z.object({
  variables: z.array(variableSet).describe('the sets that the order names'),
  git: gitAccess
    .nullable()
    .optional()
    .describe('to read the repository with; null: nothing of ours; left out: what the agent has kept'),
})
export type Confidential = z.infer<typeof confidential>

export const runLogLine = z.object({
  seq: z.int().positive().describe('1, 2, 3, … within the run'),
  at: time,
  step: stepName.nullable(),
  text: z.string(),
})
export type RunLogLine = z.infer<typeof runLogLine>

/** How far a run has come on one machine. */
export const runProgress = z.object({
  run_id: id,
  kind: runKind,
  ref_sha: sha.nullable().describe('the commit that was asked for, whole'),
  sha: sha.nullable(),
  steps: z.array(step.omit({ machine: true })),
})
export type RunProgress = z.infer<typeof runProgress>

export const runOutcome = z.object({
  status: runStatus.extract(['succeeded', 'failed', 'superseded', 'cancelled']),
  error: runError.nullable(),
  restored_sha: sha.nullable(),
  unchanged: z
    .literal(true)
    .optional()
    .describe('of a superseded one: no other run took its place; nothing that it is for has changed'),
})
export type RunOutcome = z.infer<typeof runOutcome>

export const unitState = z.enum(['running', 'stopped', 'failed', 'waiting'])
export type UnitState = z.infer<typeof unitState>

export const unit = z.object({
  name: slug.describe('the process'),
  state: unitState.describe(
    'failed: it ended and is started again after a pause; waiting: a timer, for its time',
  ),
  pid: z.int().nullable(),
  since: time.nullable(),
  restarts: z.int().describe('how often it was started again on its own since it was last asked to start'),
})
export type Unit = z.infer<typeof unit>

/** A project as it is on one machine. */
export const instance = z.object({
  project: slug,
  sha: sha.nullable().describe('the release that is in place; null: none yet'),
  proven_sha: sha
    .nullable()
    .default(null)
    .describe(
      'what a deploy last proved to run; another one than `sha` is drift: someone checked out a commit by hand',
    ),
  port: z.int().nullable().describe('of its web process'),
  variables: variableSetId.nullable().default(null).describe('what its units were last started with'),
  in_repository: saidInRepository
    .optional()
    .describe(
      `what ${repositorySettingsFile} of the release says, which goes before the project’s own settings; absent: nothing`,
    ),
  units: z.array(unit),
})
export type Instance = z.infer<typeof instance>

export const unitAction = z.enum(['start', 'stop', 'restart'])
export type UnitAction = z.infer<typeof unitAction>

/** How long it may take: with other variables what is started proves itself, or is started with the former ones again. */
export const actLimitS = ({ health, limits }: Pick<PlacedProject, 'health' | 'limits'>): number =>
  120 + 2 * (health.timeout_s + limits.restart_s)

/** What can be asked of an agent, beside runs. The answer is a `reply` with the same id. */
export const question = z.discriminatedUnion('what', [
  z.object({
    what: z.literal('act'),
    action: unitAction,
    project: placedProject,
    variables: variableSet.describe('what it is started with; for a stop none'),
  }),
  z.object({ what: z.literal('remove'), project: slug }),
  z.object({ what: z.literal('candidates') }).describe('units of others that could be adopted'),
  z.object({ what: z.literal('adopt'), project: placedProject }),
  z.object({ what: z.literal('busy_ports'), ports: z.array(z.int()) }),
  z
    .object({
      what: z.literal('host_keys'),
      host: z
        .string()
        .max(253)
        .regex(/^[\w:][\w.:-]*$/),
      port,
    })
    .describe('by which a host is known to ssh'),
  z
    .object({ what: z.literal('docs'), project: slug })
    .describe('the Markdown in `docs/` of the release that is in place'),
  z.object({
    what: z.literal('unit_log'),
    project: slug,
    process: slug,
    lines: z.int().min(0).max(10_000),
    after: z.int().min(0).nullable().describe('place in the log to go on from; null: the last lines'),
  }),
])
export type Question = z.infer<typeof question>

export const toAgent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run'), order: runOrder, confidential, log_after: z.int().min(0) }),
  z.object({ type: z.literal('cancel'), run_id: id }),
  z.object({ type: z.literal('recorded'), run_id: id }).describe('control has the end of the run on disk'),
  z.object({ type: z.literal('ask'), id, question }),
])
export type ToAgent = z.infer<typeof toAgent>

export const fromAgent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    machine: slug,
    sha: z.string(),
    port: port
      .nullable()
      .optional()
      .describe('where the agent’s own endpoints are; null: nowhere; left out: it is of a version without'),
  }),
  z.object({ type: z.literal('run_progress'), progress: runProgress }),
  z.object({ type: z.literal('run_log'), run_id: id, lines: z.array(runLogLine).min(1) }),
  z.object({ type: z.literal('run_ended'), progress: runProgress, outcome: runOutcome }),
  z.object({ type: z.literal('instance'), instance }),
  z.object({
    type: z.literal('reply'),
    id,
    error: runError.nullable(),
    value: z.json(),
  }),
])
export type FromAgent = z.infer<typeof fromAgent>

/** What a project brings to the handbook, as the reply to `docs`. */
export const releaseDocs = z.object({
  sha: sha.nullable().describe('of the release; null: none is in place'),
  files: z.array(z.object({ path: z.string().min(1).max(1000).describe('below `docs/`'), text: z.string() })),
  left_out: z.array(z.object({ path: z.string(), reason: z.string() })),
})
export type ReleaseDocs = z.infer<typeof releaseDocs>

/** Some of a unit's log, as the reply to `unit_log`. */
export const unitLog = z.object({
  lines: z.array(z.string()),
  next: z.int().min(0).describe('where to go on'),
})
export type UnitLog = z.infer<typeof unitLog>
