/** Notices: something that happened and has no end, told once. Kept as a problem that is over from the start. */
import { randomUUIDv7 } from 'node:crypto'
import type { Transaction } from '#store'
import { insertAlert } from './alert-row.ts'
import {
  fingerprintOf,
  keptAnnotations,
  keptLabels,
  rankOfSeverity,
  serviceOf,
  severityOf,
} from './labels.ts'
import type { Reported, Source } from './take.ts'

export async function giveNotice(
  transaction: Transaction,
  source: Source,
  { labels, annotations, generatorURL }: Reported,
  now: string,
): Promise<void> {
  const [id, fingerprint, severity] = [randomUUIDv7(), fingerprintOf(labels), severityOf(labels)]
  const service = serviceOf(labels)
  const { alertname = '', job = '' } = labels
  await transaction
    .insertInto('problem')
    .values({
      id,
      group_key: `notice/${fingerprint}`,
      group_labels: JSON.stringify(keptLabels({ alertname, job })),
      state: 'notice',
      severity,
      service,
      opened_at: now,
      ended_at: now,
      version: 1,
      telling: 'notice',
      tell_at: now,
      told_at: null,
      told_severity: null,
      due_at: now,
      muted: null,
    })
    .execute()
  await insertAlert(transaction, {
    id: randomUUIDv7(),
    fingerprint,
    open_key: null,
    problem_id: id,
    state: 'resolved',
    severity,
    severity_rank: rankOfSeverity(severity),
    service,
    labels: JSON.stringify(keptLabels(labels)),
    annotations: JSON.stringify(keptAnnotations(annotations)),
    source: source.name,
    generator_url: generatorURL ?? null,
    starts_at: now,
    lease_until: null,
    ended_at: now,
    acknowledged_at: null,
    acknowledged_by: null,
  })
}
