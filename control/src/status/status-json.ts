/** status.json: made when somebody asks and something is new, and then the same bytes for everybody. */
import type { Observer, Status } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import { Published } from '#http'
import type { History, ServiceState, Watch } from '#watch'
import { groupsOf } from './groups.ts'
import { indicatorOf } from './indicator.ts'
import { isoOf, serviceEntry } from './service-entry.ts'

/** What was only looked at again is shown so late at most; another status at once. */
const freshForMs = 5000
/** A reader who finds it older than this may say that it is stale. */
const nextUpdateS = 15
/** Figures over time move on for those too that nobody looks at. */
const entryForMs = 60_000

export const statusHeaders = {
  type: 'application/json; charset=utf-8',
  cacheControl: 'max-age=5, stale-while-revalidate=30',
  more: { 'access-control-allow-origin': '*' },
}

export interface StatusOptions {
  readonly watch: Watch
  readonly history: History
  readonly clock: Clock
  /** Is the watcher itself well? */
  observer(): Observer
  readonly page: Status['page']
}

interface Entry {
  readonly text: string
  readonly madeMs: number
}

export class StatusJson {
  readonly #options: StatusOptions
  readonly #entries = new Map<string, Entry>()
  /** By group; the whole under the empty name. */
  readonly #published = new Map<string, Published>()
  #madeMs = Number.NEGATIVE_INFINITY
  #isLooked = true
  #isChanged = true

  constructor(options: StatusOptions) {
    this.#options = options
    options.watch.onNews((service, news) => {
      this.#entries.delete(service)
      if (news === 'changed') this.#isChanged = true
      else this.#isLooked = true
    })
  }

  /** Of all services, or of one group; undefined: there is no such group. */
  get(group = ''): Published | undefined {
    if (group !== '' && ![...this.#options.watch.services].some(({ service }) => service.group === group))
      return undefined
    const nowMs = this.#options.clock.monotonicMs()
    if (this.#isChanged || (this.#isLooked && nowMs - this.#madeMs >= freshForMs)) {
      this.#published.clear()
      this.#madeMs = nowMs
      this.#isChanged = false
      this.#isLooked = false
    }
    const published = this.#published.get(group) ?? new Published(this.#text(group), statusHeaders)
    this.#published.set(group, published)
    return published
  }

  #text(group: string): string {
    const { watch, clock, observer, page } = this.#options
    const states = [...watch.services].filter(({ service }) => group === '' || service.group === group)
    const now = Math.floor(clock.now().getTime() / 1000)
    const observed = observer()
    const told = states.map(({ service, status }) => ({ name: service.name, status }))
    const head = {
      schema: 1,
      generated_at: isoOf(now),
      next_update_at: isoOf(now + nextUpdateS),
      page,
      status: indicatorOf(told, observed.ok),
      observer: observed,
      groups: groupsOf(states.map(({ service }) => service)),
    } satisfies Partial<Status>
    const entries = states.map(state => this.#entry(state, now)).join(',')
    return `${JSON.stringify(head).slice(0, -1)},"services":[${entries}],"incidents":[],"maintenances":[]}\n`
  }

  #entry(state: ServiceState, now: number): string {
    const { history, clock, page } = this.#options
    const { id } = state.service
    const nowMs = clock.monotonicMs()
    const known = this.#entries.get(id)
    if (known && nowMs - known.madeMs < entryForMs) return known.text
    const text = JSON.stringify(serviceEntry(state, { history, url: page.url, now }))
    this.#entries.set(id, { text, madeMs: nowMs })
    return text
  }
}
