/** An incident as it is named on the command line: by its id, the end of it, or nothing when there is only one. */
import { type IncidentEntry, operations } from '@quarterdeck/contract'
import type { Api } from '../api.ts'
import { GuidedFault } from '../fail.ts'
import { itemsOf } from '../pages.ts'

export async function findIncident(client: Api, named: string | undefined): Promise<IncidentEntry> {
  const open = await itemsOf(
    query => client.call(operations.listIncidents, { query: { ...query, open: 'true' } }),
    500,
  )
  const fitting = open.filter(({ id }) => named === undefined || id === named || id.endsWith(named))
  if (fitting.length === 1) return fitting[0]!
  throw new GuidedFault(
    'not_found',
    fitting.length === 0
      ? named === undefined
        ? 'No incident is open.'
        : `No open incident is called ${named}.`
      : `${fitting.length} open incidents fit.`,
    'Look at `qd incident list`, and name one by its id or the end of it.',
  )
}
