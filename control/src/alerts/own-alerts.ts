/** Whose alerts somebody may do something about. */
import { Fault, parseMatcher } from '@quarterdeck/contract'
import type { Identity } from '#http'
import type { Transaction } from '#store'
import type { Alerts } from './alerts.ts'

/** Who is limited to projects does something about their alerts alone. */
export async function refuseOthers(
  alerts: Pick<Alerts, 'find'>,
  transaction: Transaction,
  { projects }: Identity,
  id: string,
): Promise<void> {
  if (projects === null) return
  const job = (await alerts.find(transaction, id))?.labels.job
  if (job === undefined || !projects.includes(job)) throw new Fault('not_found', `There is no alert ${id}.`)
}

export function refuseWide({ projects }: Pick<Identity, 'projects'>, matchers: readonly string[]): void {
  if (projects === null) return
  const isOwn = matchers
    .map(parseMatcher)
    .some(matcher => matcher?.name === 'job' && matcher.operator === '=' && projects.includes(matcher.value))
  if (!isOwn)
    throw new Fault('forbidden', `The silence must name a project of yours: job=${projects[0] ?? '…'}.`)
}
