/** What the status host publishes. */
import type { PublishedAt } from '#http'
import { serviceJson } from './service-json.ts'
import { StatusJson, type StatusOptions } from './status-json.ts'

export function statusDocuments(options: StatusOptions & { readonly timeZone: string }): PublishedAt[] {
  const status = new StatusJson(options)
  return [
    {
      path: '/status.json',
      summary: 'The state of every monitored service; ?group= for one group',
      get: (_params, query) => status.get(query.get('group') ?? ''),
    },
    {
      path: '/services/{id}.json',
      summary: 'One service and its last 90 days',
      get: ({ id }) => serviceJson(id!, options.timeZone, options),
    },
  ]
}
