/** Which waiting run goes next, and on which machine. */
import type { Machine } from '#fleet'
import type { StoredProject } from '#projects'
import type { Transaction } from '#store'
import type { RunRow } from './run-row.ts'

export interface QueueOptions {
  /** Runs on one machine at a time. */
  perMachine: number
  project(transaction: Transaction, name: string): Promise<StoredProject | undefined>
  /** Connected machines of the project. */
  machines(project: StoredProject): readonly Machine[]
}

export interface Next {
  row: RunRow
  project: StoredProject
  machine: string
}

/**
 * Runs that can begin now, rollbacks first: one per project, as many per machine as it takes, no push to a project that
 * is held.
 */
export async function nextRuns(transaction: Transaction, options: QueueOptions): Promise<Next[]> {
  const load = await loadByMachine(transaction)
  const next = new Map<string, Next>()
  for (const row of await waitingRuns(transaction)) {
    if (next.has(row.project)) continue
    const project = await options.project(transaction, row.project)
    const machine = project && options.machines(project).find(({ name }) => hasRoom(load, name, options))
    if (!project || !machine) continue
    load.set(machine.name, (load.get(machine.name) ?? 0) + 1)
    next.set(row.project, { row, project, machine: machine.name })
  }
  return [...next.values()]
}

async function loadByMachine(transaction: Transaction): Promise<Map<string, number>> {
  const running = await transaction
    .selectFrom('run')
    .select(({ fn }) => ['machine', fn.countAll<number>().as('runs')])
    .where('status', '=', 'running')
    .where('ended_at', 'is', null)
    .groupBy('machine')
    .execute()
  return new Map(running.map(({ machine, runs }) => [machine ?? '', Number(runs)]))
}

const hasRoom = (load: Map<string, number>, machine: string, { perMachine }: QueueOptions) =>
  (load.get(machine) ?? 0) < perMachine

const waitingRuns = (transaction: Transaction): Promise<RunRow[]> =>
  transaction
    .selectFrom('run')
    .innerJoin('project', 'project.name', 'run.project')
    .selectAll('run')
    .where('run.status', '=', 'queued')
    .where('run.ended_at', 'is', null)
    .where('project.archived_at', 'is', null)
    .where(({ or, eb }) => or([eb('run.kind', '=', 'rollback'), eb('project.held', '=', 0)]))
    // Not asked per run: that would look through all that a project ever had.
    .where('run.project', 'not in', inner =>
      inner
        .selectFrom('run as other')
        .select('other.project')
        .where('other.status', '=', 'running')
        .where('other.ended_at', 'is', null),
    )
    // 'rollback' comes after 'deploy'.
    .orderBy('run.kind', 'desc')
    .orderBy('run.position')
    // All of them, which are two per project at most: those that wait for one machine must not hide another's.
    .execute()
