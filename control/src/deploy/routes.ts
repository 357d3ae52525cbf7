/** The webhook, runs and their logs, over HTTP. */
import { hash } from 'node:crypto'
import { type DeployRequest, Fault, type Operation, operations } from '@quarterdeck/contract'
import {
  type Call,
  cursorOf,
  type Identity,
  type PerMinute,
  type Route,
  read,
  respond,
  serverSent,
  stream,
} from '#http'
import type { Projects, StoredProject } from '#projects'
import type { Store, Transaction } from '#store'
import type { Wanted } from './accept.ts'
import type { Deploys } from './deploys.ts'
import { logEvents, logText } from './log-stream.ts'
import { answerFor, waitOf } from './outcome.ts'
import { rollbackTarget } from './rollback-target.ts'
import { findRun, type RunRow } from './run-row.ts'
import { listRuns } from './runs.ts'

export interface DeployRoutes {
  store: Store
  deploys: Deploys
  projects: Projects
  /** Webhook calls per token. */
  calls: PerMinute
}

export function deployRoutes(options: DeployRoutes): Route[] {
  const { store, deploys, projects, calls } = options

  /** Starts a run as `wanted` tells, and answers as the caller prefers. */
  const start = <O extends Operation>(
    operation: O,
    wanted: (call: Call<O>, transaction: Transaction) => Promise<Asked>,
    guard?: Route['guard'],
  ): Route =>
    respond(
      operation,
      async (call, end) => {
        const caller = callerOf(operation, call)
        const accepted = await store.write(
          async transaction => {
            // A repetition is known before anything is decided or held.
            const known = await deploys.known(transaction, caller)
            if (known) return { row: known, superseded: [] }
            const asked = await wanted(call, transaction)
            return deploys.accept(transaction, call.origin, { ...asked, ...caller })
          },
          { refusesFirst: true },
        )
        deploys.accepted(accepted)
        const { prefer } = call.headers as { prefer?: string }
        return answerFor(accepted.row, { store, deploys, waitS: waitOf(prefer), end })
      },
      guard,
    )

  /** A run of another's project is to them as if it were not there. */
  async function ownRun(transaction: Transaction, id: string, { projects: own }: Identity): Promise<RunRow> {
    const row = await findRun(transaction, id)
    if (!row || (own && !own.includes(row.project))) throw new Fault('not_found', `There is no run ${id}.`)
    return row
  }

  return [
    start(
      operations.deploy,
      async (call, transaction) => {
        const project = await projects.find(transaction, call.params.name)
        if (!project) throw noSuchProject()
        refuseOtherRepository(projects, project, call.body)
        return { ...asked(project), kind: 'deploy', ref: call.body.ref, repeats: true }
      },
      {
        before: ({ identity }) => countCall(calls, identity),
        // The table refuses those who are limited to projects; others may still name one that is not there.
        async after({ identity, params: { name = '' } }) {
          if (!identity.projects && !(await store.read(inner => projects.find(inner, name))))
            throw noSuchProject()
        },
      },
    ),
    start(operations.startRun, async (call, transaction) => {
      const project = await projects.named(transaction, call.params.name)
      const { ref = null, discard } = call.body
      return { ...asked(project), kind: 'deploy', ref, discard }
    }),
    start(operations.rollback, async (call, transaction) => {
      const project = await projects.named(transaction, call.params.name)
      const ref = await rollbackTarget(transaction, project.name, call.body)
      if (call.body.hold) {
        await projects.hold(transaction, call.origin, project.name, call.body.reason ?? null)
      }
      return { ...asked(project), kind: 'rollback', ref, withSecrets: call.body.secrets }
    }),
    start(operations.rerun, async (call, transaction) => {
      const row = await ownRun(transaction, call.params.id, call.identity)
      const project = await projects.named(transaction, row.project)
      const kind = row.kind === 'rollback' ? 'rollback' : 'deploy'
      return { ...asked(project), kind, ref: row.ref ?? row.sha, withSecrets: row.with_secrets === 1 }
    }),
    respond(operations.cancelRun, async call => {
      await store.read(transaction => ownRun(transaction, call.params.id, call.identity))
      return { status: 202, value: deploys.show(await deploys.cancel(call.params.id, call.origin)) }
    }),

    read(operations.listProjectRuns, async (call, transaction) => {
      await projects.named(transaction, call.params.name)
      const page = cursorOf(call.query, /^\d{1,15}$/)
      return listRuns(transaction, page, [call.params.name], row => deploys.show(row))
    }),
    read(operations.listRuns, (call, transaction) =>
      listRuns(transaction, cursorOf(call.query, /^\d{1,15}$/), call.identity.projects, row =>
        deploys.show(row),
      ),
    ),
    read(operations.readRun, async (call, transaction) =>
      deploys.show(await ownRun(transaction, call.params.id, call.identity)),
    ),
    stream(operations.followRunLog, async (call, ended) => {
      const { id } = await store.read(transaction => ownRun(transaction, call.params.id, call.identity))
      const { accept = '', 'last-event-id': after = 0 } = call.headers
      return accept.includes('text/event-stream')
        ? { type: 'text/event-stream', chunks: serverSent(logEvents(options, id, after, ended)) }
        : { type: 'text/plain', chunks: logText(options, id) }
    }),
  ]
}

/** In the words of the table, so that nobody learns which projects there are. */
const noSuchProject = () =>
  new Fault('forbidden', 'The token is for another project, or there is no such project.')

function countCall(calls: PerMinute, { role, id }: Identity): void {
  if (role === 'nobody') return
  const retryAfterS = calls.waitS(id)
  if (retryAfterS > 0) {
    throw new Fault('too_many_calls', 'The token was used too often within a minute.', { retryAfterS })
  }
  calls.count(id)
}

function refuseOtherRepository(projects: Projects, project: StoredProject, { project: sent }: DeployRequest) {
  if (projects.repositoryMatches(project, sent)) return
  throw new Fault('invalid_fields', `${sent} is not the repository of ${project.name}.`, {
    fields: [{ field: 'project', message: 'must be this project’s repository' }],
  })
}

type Asked = Omit<Wanted, 'caller' | 'by' | 'idempotencyKey' | 'requestHash'>

/** What every way to start a run has in common. */
const asked = ({ name, repository }: StoredProject) => ({
  project: name,
  repository,
  discard: false,
  repeats: false,
})

function callerOf({ method, path }: Operation, { identity, idempotencyKey, params, body }: Call) {
  const { id, role, name } = identity
  return {
    caller: id,
    by: `${role === 'deploy' ? 'token' : role}:${name ?? ''}`,
    idempotencyKey,
    // Without a key nobody compares it.
    requestHash: idempotencyKey === undefined ? '' : hashOf(method, path, params, body),
  }
}

/** Tells requests apart that come with the same Idempotency-Key. */
const hashOf = (...parts: unknown[]): string => hash('sha256', JSON.stringify(parts))
