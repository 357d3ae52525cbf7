/** Names that a new project may have. */
import { Fault } from '@quarterdeck/contract'
import type { Transaction } from '#store'
import { rowOf } from './rows.ts'

/** Sub-domains that are, or are taken for, the environment's own. */
export const alwaysReserved = [
  'admin',
  'agent',
  'api',
  'auth',
  'control',
  'docs',
  'edge',
  'localhost',
  'metrics',
  'status',
  'www',
]

/** Also those of archived projects and of watched services are taken. */
export async function refuseName(
  transaction: Transaction,
  name: string,
  reserved: ReadonlySet<string>,
): Promise<void> {
  if (reserved.has(name)) {
    throw new Fault('invalid_fields', `The name ${name} is the environment’s own.`, {
      fields: [{ field: 'name', message: 'is reserved for the environment; choose another one' }],
    })
  }
  const service = await transaction
    .selectFrom('service')
    .select('id')
    .where('id', '=', name)
    .executeTakeFirst()
  if (service) throw new Fault('service_exists', `There is a watched service ${name} already.`)
  const row = await rowOf(transaction, name)
  if (!row) return
  throw new Fault(
    'project_exists',
    row.archived_at === null
      ? `There is a project ${name} already, of the repository ${row.repository}.`
      : `A project ${name} was archived on ${row.archived_at.slice(0, 10)}: its data is still on the machines, so nothing else can have its name.`,
  )
}
