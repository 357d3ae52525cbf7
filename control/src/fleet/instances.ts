/** What is in place where, as the agents tell it. */
import type { Instance, Project } from '@quarterdeck/contract'
import type { Transaction } from '#store'

type Said = NonNullable<Instance['in_repository']>

/** Stores what an agent told; false when it is what was known. */
export async function recordInstance(
  transaction: Transaction,
  machine: string,
  { project, sha, proven_sha, port, variables, units, in_repository }: Instance,
  now: string,
): Promise<boolean> {
  const row = {
    sha,
    proven_sha,
    port,
    variables,
    units: JSON.stringify(units),
    in_repository: in_repository ? JSON.stringify(in_repository) : null,
  }
  const known = await transaction
    .selectFrom('instance')
    .select(['sha', 'proven_sha', 'port', 'variables', 'units', 'in_repository'])
    .where('project', '=', project)
    .where('machine', '=', machine)
    .executeTakeFirst()
  if (known && Object.entries(row).every(([key, value]) => known[key as keyof typeof row] === value))
    return false
  await transaction
    .insertInto('instance')
    .values({ project, machine, ...row, updated_at: now })
    .onConflict(conflict => conflict.columns(['project', 'machine']).doUpdateSet({ ...row, updated_at: now }))
    .execute()
  return true
}

/** Of one project, by machine. */
export async function instancesOf(transaction: Transaction, project: string): Promise<Project['instances']> {
  const rows = await transaction
    .selectFrom('instance')
    .select(['machine', 'sha', 'proven_sha', 'port', 'variables', 'units', 'in_repository'])
    .where('project', '=', project)
    .orderBy('machine')
    .execute()
  return rows.map(({ in_repository, units, ...row }) => ({
    ...row,
    units: JSON.parse(units) as Instance['units'],
    ...(in_repository !== null && { in_repository: JSON.parse(in_repository) as Said }),
  }))
}
