/** From one revision of a project's variables to the next: all of it, with its event, or nothing. */
import { Fault, mostVariableBytes, mostVariables } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Events } from '#events'
import type { Origin } from '#http'
import type { Transaction } from '#store'
import { type Content, rowsAt, type VariableRow } from './variable-rows.ts'

/** What is different in it, and why. */
export interface Revision {
  readonly set: readonly { name: string; content: () => Promise<Content> }[]
  readonly unset: readonly string[]
  readonly restoredFrom?: number
  readonly runId?: string
}

/** Gives the revision that has it: still `newest` if there is nothing different. */
export async function revise(
  transaction: Transaction,
  { clock, events }: { clock: Clock; events: Events },
  origin: Origin,
  project: string,
  newest: number,
  { set, unset, restoredFrom, runId }: Revision,
): Promise<number> {
  if (set.length === 0 && unset.length === 0) return newest
  const revision = newest + 1
  const names = set.map(({ name }) => name).sort()
  const gone = [...unset].sort()
  const why = { restored_from: restoredFrom ?? null, run_id: runId ?? null }
  // Before the new ones are sealed: those of a lost key can be replaced.
  await transaction
    .updateTable('variable')
    .set({ until: revision })
    .where('project', '=', project)
    .where('until', 'is', null)
    .where('name', 'in', [...names, ...gone])
    .execute()
  for (const { name, content } of set) {
    const row = { project, name, since: revision, until: null, ...(await content()) }
    await transaction.insertInto('variable').values(row).execute()
  }
  refuseTooMany(project, await rowsAt(transaction, project, revision))
  await transaction
    .insertInto('variable_revision')
    .values({
      ...{ project, revision, at: clock.now().toISOString(), by: origin.by },
      ...{ set_names: JSON.stringify(names), unset_names: JSON.stringify(gone), ...why },
    })
    .execute()
  await events.append(transaction, origin, {
    type: 'variables.changed',
    subject: `project/${project}`,
    data: { revision, set: names, unset: gone, ...why },
  })
  return revision
}

/** A process can be started with so much and no more. */
function refuseTooMany(project: string, rows: readonly VariableRow[]): void {
  const bytes = rows.reduce(
    (sum, { name, value, sealed }) => sum + Buffer.byteLength(name + (value ?? sealed ?? '')),
    0,
  )
  if (rows.length <= mostVariables && bytes <= mostVariableBytes) return
  const most = `${mostVariables} variables, of ${mostVariableBytes / 1024} KiB together`
  throw new Fault(
    'invalid_fields',
    `${project} would have ${rows.length} variables of ${Math.ceil(bytes / 1024)} KiB.`,
    { fields: [{ field: 'set', message: `a project has at most ${most}` }] },
  )
}
