/** status.json: made when somebody asks and something is new, and then the same bytes for everybody. */
import type { Incident, Maintenance, Observer, Status } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import { Published, type PublishedHeaders } from '#http'
import type { History, ServiceState, Watch } from '#watch'
import type { Editions } from './editions.ts'
import type { Entries } from './entries.ts'
import { groupsOf } from './groups.ts'
import { indicatorOf, withIncidents } from './indicator.ts'
import type { Notices } from './notices.ts'
import { isoOf } from './service-entry.ts'

/** A reader who finds it older than this may say that it is stale. */
const nextUpdateS = 15

export interface StatusOptions {
  readonly watch: Watch
  readonly history: History
  readonly clock: Clock
  readonly notices: Notices
  readonly entries: Entries
  readonly editions: Editions
  /** Is the watcher itself well? */
  observer(): Observer
  /** Whether what people write, and what is to be watched, can be read at the moment. */
  isStoreThere(): boolean
  readonly page: Status['page']
  /** Of the environment's front page. */
  readonly homeUrl: string
  /** That days are counted in. */
  readonly timeZone: string
}

/** Of every document for programs. While the store is away they say so. */
export const jsonHeaders = (
  { isStoreThere }: Pick<StatusOptions, 'isStoreThere'>,
  type = 'application/json; charset=utf-8',
): PublishedHeaders => ({
  type,
  cacheControl: 'max-age=5, stale-while-revalidate=30',
  more: { 'access-control-allow-origin': '*', ...(!isStoreThere() && staleMark) },
})

/** The store is away: services are as they are told, but what is written or to be watched may have changed. */
export const staleMark = { 'x-quarterdeck-stale': 'store' }

/** Everything but the services. */
export type StatusHead = Omit<Status, 'services'>

export class StatusJson {
  readonly #options: StatusOptions

  constructor(options: StatusOptions) {
    this.#options = options
  }

  /** Of all services, or of one group; undefined: there is no such group. */
  get(group = ''): Published | undefined {
    const { watch, editions } = this.#options
    if (group !== '' && ![...watch.services].some(({ service }) => service.group === group)) return undefined
    return editions.kept(
      `status.json ${group}`,
      () => new Published(this.#text(group), jsonHeaders(this.#options)),
    )
  }

  /** Of all services. */
  head(): StatusHead {
    return this.#options.editions.kept('head', () => this.#head([...this.#options.watch.services]))
  }

  #text(group: string): string {
    const { watch, entries } = this.#options
    const states = [...watch.services].filter(({ service }) => group === '' || service.group === group)
    const { incidents, maintenances, ...head } = this.#head(states, group)
    const services = states.map(state => entries.get(state).text).join(',')
    const notices = JSON.stringify({ incidents, maintenances }).slice(1)
    return `${JSON.stringify(head).slice(0, -1)},"services":[${services}],${notices}\n`
  }

  #head(states: readonly ServiceState[], group = ''): StatusHead {
    const { clock, observer, page, notices } = this.#options
    const now = Math.floor(clock.now().getTime() / 1000)
    const observed = observer()
    const ids = new Set(states.map(({ service }) => service.id))
    const concerns = ({ service_ids }: Incident | Maintenance) =>
      group === '' || service_ids.length === 0 || service_ids.some(id => ids.has(id))
    const incidents = notices.incidents.filter(concerns)
    const told = states.map(({ service, status }) => ({ name: service.name, status }))
    return {
      schema: 1,
      generated_at: isoOf(now),
      next_update_at: isoOf(now + nextUpdateS),
      page,
      status: withIncidents(indicatorOf(told, observed.ok), incidents),
      observer: observed,
      groups: groupsOf(states.map(({ service }) => service)),
      incidents,
      maintenances: notices.maintenances.filter(concerns),
    }
  }
}
