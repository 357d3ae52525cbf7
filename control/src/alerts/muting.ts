/** Why nothing is told of a problem at this moment: all of its alerts are silenced, a maintenance, or what it depends on. */
import { serviceDown } from '@quarterdeck/contract'
import type { Transaction } from '#store'
import type { Labels } from './labels.ts'
import type { ProblemRow } from './problem-row.ts'
import type { AlertSettings, Surroundings } from './settings.ts'
import { type ActiveSilence, silencing } from './silences.ts'

/** Alerts that are held against the silences at a time. */
const batch = 500

/** As it is kept: `silenced`, `maintenance`, or `inhibited/` and the service that is down. Null: it is told of. */
export type Muted = 'silenced' | 'maintenance' | `inhibited/${string}`

export const inhibited = 'inhibited/'

export interface Muting {
  settings: AlertSettings
  surroundings: Surroundings
  silences: readonly ActiveSilence[]
  now: Date
}

export async function mutedBy(
  transaction: Transaction,
  problem: ProblemRow,
  { settings, surroundings, silences, now }: Muting,
): Promise<Muted | null> {
  if (await isSilenced(transaction, problem.id, silences)) return 'silenced'
  const { service } = problem
  if (service === null) return null
  if (await surroundings.inMaintenance(transaction, service, now)) return 'maintenance'
  const { alertname } = JSON.parse(problem.group_labels) as Labels
  if (alertname === serviceDown.alert && !settings.inhibitServiceDown) return null
  const cause = await causeAmong(transaction, await surroundings.dependsOn(transaction, service))
  // Two that depend on each other cannot both be quiet for the other's sake.
  return cause === undefined || cause === service ? null : `inhibited/${cause}`
}

/** Stops at the first one that is not. */
async function isSilenced(
  transaction: Transaction,
  problemId: string,
  silences: readonly ActiveSilence[],
): Promise<boolean> {
  if (silences.length === 0) return false
  for (let after = '', any = false; ; any = true) {
    const rows = await transaction
      .selectFrom('alert')
      .select(['id', 'labels'])
      .where('problem_id', '=', problemId)
      .where('open_key', 'is not', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(batch)
      .execute()
    if (rows.some(({ labels }) => silencing(silences, JSON.parse(labels) as Labels).length === 0))
      return false
    if (rows.length < batch) return any || rows.length > 0
    after = rows.at(-1)!.id
  }
}

/** The first of these services that is down; where that is for the sake of another, that one. */
async function causeAmong(
  transaction: Transaction,
  services: readonly string[],
): Promise<string | undefined> {
  if (services.length === 0) return undefined
  const row = await transaction
    .selectFrom('problem')
    .select(['service', 'muted'])
    .where('state', '=', 'open')
    .where('severity', '=', 'critical')
    .where('service', 'in', services)
    .orderBy('opened_at')
    .limit(1)
    .executeTakeFirst()
  return row?.muted?.startsWith(inhibited) ? row.muted.slice(inhibited.length) : (row?.service ?? undefined)
}
