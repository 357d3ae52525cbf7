/** From a critical problem, of which alerts tell, to a draft of an incident; one that nobody has touched goes with it. */
import type { Clock } from '@quarterdeck/kit'
import type { EventReader } from '#events'
import { bySystem } from '#http'
import type { Transaction } from '#store'
import type { Incidents } from './incidents.ts'

/** What happened longer ago, as before the option was set, needs no draft any more. */
const lateMs = 3600_000

const types = ['problem.opened', 'problem.ended'] as const

export const draftReader = (incidents: Incidents, clock: Clock): EventReader => ({
  name: 'incident-drafts',
  types,
  async handle(transaction, after, upTo) {
    const border = new Date(clock.now().getTime() - lateMs).toISOString()
    const events = await transaction
      .selectFrom('event')
      .select(['type', 'subject', 'data'])
      .where('position', '>', after)
      .where('position', '<=', upTo)
      .where('type', 'in', types)
      .where('at', '>', border)
      .orderBy('position')
      .execute()
    for (const { type, subject, data } of events) {
      const told = JSON.parse(data) as { severity: string; labels: Record<string, string> }
      if (type === 'problem.ended') await incidents.dropDraft(transaction, bySystem, subject)
      else if (told.severity === 'critical') await open(transaction, incidents, subject, told.labels)
    }
  },
})

async function open(
  transaction: Transaction,
  incidents: Incidents,
  source: string,
  { alertname = 'An alert' }: Record<string, string>,
): Promise<void> {
  const problem = await transaction
    .selectFrom('problem')
    .select('service')
    .where('id', '=', source.replace('problem/', ''))
    .executeTakeFirst()
  const service = problem?.service ?? null
  await incidents.openDraft(transaction, {
    source,
    name: (service === null ? alertname : `${alertname}: ${service}`).slice(0, 200),
    impact: 'major',
    serviceIds: service === null ? [] : [service],
    body: 'We are looking into it.',
  })
}
