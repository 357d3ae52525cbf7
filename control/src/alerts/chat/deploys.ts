/** Rollback and re-run, asked for in a chat: the same as over the API. */
import { Fault } from '@quarterdeck/contract'
import { type Accepted, type Deploys, findRun, type RunRow, rollbackTarget } from '#deploy'
import type { Origin } from '#http'
import type { Projects } from '#projects'
import type { Transaction } from '#store'

export interface Begun {
  readonly url: string
  /** When it is on disk. */
  afterwards(): void
}

type Begin = (transaction: Transaction, origin: Origin, project: string) => Promise<Begun>

export interface ChatDeploys {
  readonly rollback: Begin
  readonly rerun: Begin
  /** The last ones, newest first; of no project in particular: of all. */
  last(transaction: Transaction, projects: readonly string[], limit: number): Promise<RunRow[]>
}

export function chatDeploys(deploys: Deploys, projects: Projects): ChatDeploys {
  const begun = (accepted: Accepted): Begun => ({
    url: deploys.pageUrl(accepted.row.id),
    afterwards: () => deploys.accepted(accepted),
  })
  const asked = (origin: Origin) => ({
    discard: false,
    repeats: false,
    caller: origin.by,
    by: origin.by,
    idempotencyKey: undefined,
    requestHash: '',
  })
  return {
    async rollback(transaction, origin, name) {
      const { repository } = await projects.named(transaction, name)
      const ref = await rollbackTarget(transaction, name)
      const wanted = { project: name, repository, kind: 'rollback' as const, ref, ...asked(origin) }
      return begun(await deploys.accept(transaction, origin, wanted))
    },
    async rerun(transaction, origin, name) {
      const { repository } = await projects.named(transaction, name)
      const run = await lastRun(transaction, name)
      const kind = run.kind === 'rollback' ? ('rollback' as const) : ('deploy' as const)
      const wanted = { project: name, repository, kind, ref: run.ref ?? run.sha, ...asked(origin) }
      return begun(await deploys.accept(transaction, origin, wanted))
    },
    last(transaction, names, limit) {
      const runs = transaction.selectFrom('run').selectAll().orderBy('position', 'desc').limit(limit)
      return (names.length > 0 ? runs.where('project', 'in', names) : runs).execute()
    },
  }
}

async function lastRun(transaction: Transaction, project: string): Promise<RunRow> {
  const last = await transaction
    .selectFrom('run')
    .select('id')
    .where('project', '=', project)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  const run = last && (await findRun(transaction, last.id))
  if (!run) throw new Fault('not_found', `${project} was never deployed.`)
  return run
}
