/** What a service depends on: a project, a watched service, or a part of the environment itself. */
import { Fault } from '@quarterdeck/contract'
import type { Transaction } from '#store'

/** A slip of the pen must not go unseen. What is removed later is no longer there, and holds nothing up. */
export async function refuseDependencies(
  transaction: Transaction,
  id: string,
  ids: readonly string[],
  reserved: ReadonlySet<string>,
): Promise<void> {
  for (const other of ids) {
    if (other === id) throw unacceptable('A service cannot depend on itself.')
    if (!reserved.has(other) && !(await isThere(transaction, other)))
      throw unacceptable(`There is no service ${other}.`)
  }
}

async function isThere(transaction: Transaction, id: string): Promise<boolean> {
  const service = transaction.selectFrom('service').select('id').where('id', '=', id)
  const project = transaction
    .selectFrom('project')
    .select('name')
    .where('name', '=', id)
    .where('archived_at', 'is', null)
  return Boolean((await service.executeTakeFirst()) ?? (await project.executeTakeFirst()))
}

const unacceptable = (message: string) =>
  new Fault('invalid_fields', message, { fields: [{ field: 'depends_on', message }] })
