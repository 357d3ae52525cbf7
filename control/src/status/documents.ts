/** What the status host publishes. */
import { jsonSchemas } from '@quarterdeck/contract'
import { Published, type PublishedAt } from '#http'
import { badge, badgeKinds } from './badge.ts'
import { atomFeed } from './feed.ts'
import type { Live } from './live.ts'
import { script } from './page/script.ts'
import type { Pages } from './pages.ts'
import { serviceJson } from './service-json.ts'
import { jsonHeaders, type StatusJson, type StatusOptions } from './status-json.ts'
import { statuspageStatus, statuspageSummary } from './statuspage.ts'

export interface StatusDocuments {
  readonly options: StatusOptions
  readonly status: StatusJson
  readonly pages: Pages
  readonly live: Live
}

export function statusDocuments({ options, status, pages, live }: StatusDocuments): PublishedAt[] {
  const { watch, notices, entries, editions, page, timeZone, clock } = options
  const json = (name: string, make: () => unknown) =>
    editions.kept(name, () => new Published(`${JSON.stringify(make())}\n`, jsonHeaders(options)))
  const text = (name: string, type: string, make: () => string) =>
    editions.kept(name, () => new Published(make(), jsonHeaders(options, type)))
  const services = () => [...watch.services].map(state => entries.get(state).service)
  return [
    { path: '/', summary: 'How everything is, for people', get: () => pages.front() },
    { path: '/services/{id}', summary: 'A service, for people', get: ({ id }) => pages.service(id!) },
    {
      path: '/incidents/{id}',
      summary: 'An incident or a maintenance, for people',
      get: ({ id }) => pages.notice(id!),
    },
    { path: '/history', summary: 'What has been, this month', get: () => pages.history() },
    {
      path: '/history/{month}',
      summary: 'What has been in a month',
      get: ({ month }) => pages.history(month!),
    },
    {
      path: '/status.json',
      summary: 'The state of every monitored service; ?group= for one group',
      get: (_params, query) => status.get(query.get('group') ?? ''),
    },
    {
      path: '/services/{id}.json',
      summary: 'One service and its last 90 days',
      get: ({ id }) => serviceJson(id!, options),
    },
    {
      path: '/events',
      summary: 'What is different, as server-sent events',
      get: (_params, query) => live.from(query.get('after')),
    },
    {
      path: '/api/v2/summary.json',
      summary: 'The same, as Atlassian Statuspage tells it',
      get: () => json('summary', () => statuspageSummary(status.head(), services(), timeZone)),
    },
    {
      path: '/api/v2/status.json',
      summary: 'All services in one word, as Atlassian Statuspage tells it',
      get: () => json('v2 status', () => statuspageStatus(status.head(), timeZone)),
    },
    {
      path: '/feed.atom',
      summary: 'Incidents and maintenances, as a feed',
      get: () =>
        text('feed', 'application/atom+xml; charset=utf-8', () =>
          atomFeed(page, [...notices.allIncidents, ...notices.maintenances], clock.now().toISOString()),
        ),
    },
    {
      path: '/badge/{id}.svg',
      summary: 'A small picture of a service; ?what=uptime or version',
      get: ({ id }, query) => {
        const state = watch.service(id!)
        const kind = badgeKinds.find(each => each === (query.get('what') ?? 'status'))
        if (!state || !kind) return undefined
        return text(`badge ${id} ${kind}`, 'image/svg+xml; charset=utf-8', () =>
          badge(entries.get(state).service, kind),
        )
      },
    },
    {
      path: '/status.schema.json',
      summary: 'The JSON Schema of status.json',
      get: () => json('schema', () => jsonSchemas().get('status')),
    },
    {
      path: '/assets/{file}.js',
      summary: 'The script of these pages',
      get: ({ file }) => (file === script.file ? script.published : undefined),
    },
  ]
}
