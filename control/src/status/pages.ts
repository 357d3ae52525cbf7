/** The pages of the status host, put together from what is ready-made. */
import { historyDays, type Incident, type Maintenance } from '@quarterdeck/contract'
import { html } from '@quarterdeck/pages'
import { Published, type Servable } from '#http'
import { calendarOf } from '#watch'
import type { Charts } from './charts.ts'
import type { Live } from './live.ts'
import type { Window } from './maintenances/windows.ts'
import { framed, pageHeaders } from './page/frame.ts'
import { frontPage, nameIn } from './page/front-page.ts'
import { historyPage, isMonth, monthAfter } from './page/history-page.ts'
import { noticeArticle } from './page/notice-section.ts'
import type { Rows } from './page/rows.ts'
import { servicePage } from './page/service-page.ts'
import { words } from './page/words.ts'
import { type StatusJson, type StatusOptions, staleMark } from './status-json.ts'

/** Shown on the front page for so long after they were resolved. */
const recentMs = 7 * 86_400_000
const keptMonths = 13

export interface PagesOptions {
  readonly options: StatusOptions
  readonly status: StatusJson
  readonly rows: Rows
  readonly charts: Charts
  readonly live: Live
}

export class Pages {
  readonly #o: PagesOptions

  constructor(options: PagesOptions) {
    this.#o = options
  }

  front(): Published {
    const { options, status, rows } = this.#o
    return options.editions.kept('/', () => {
      const head = status.head()
      const states = Map.groupBy(options.watch.services, ({ service }) => service.group)
      const since = options.clock.now().getTime() - recentMs
      const past = options.notices.allIncidents.filter(
        ({ ends_at }) => ends_at !== null && Date.parse(ends_at) > since,
      )
      const rowsOf = (group: string) => (states.get(group) ?? []).map(state => rows.get(state))
      const body = frontPage({ head, rowsOf, past, nameOf: nameIn(options.watch.services) })
      return this.#framed(words.title(head.page.name), body)
    })
  }

  /** Undefined: there is no such service. */
  service(id: string): Servable | undefined {
    const { options, charts } = this.#o
    const { watch, editions, history, entries, clock, timeZone, notices } = options
    const state = watch.service(id)
    if (!state) return undefined
    const page = editions.kept(`/services/${id}`, async () => {
      const chart = await charts.get(id, state.service.name)
      const now = Math.floor(clock.now().getTime() / 1000)
      const concerned = ({ service_ids }: Incident | Maintenance) => service_ids.includes(id)
      const body = servicePage({
        ...{ service: entries.get(state).service, chart, nameOf: nameIn(watch.services) },
        days: history.days(id, now, timeZone, historyDays),
        notices: [...notices.maintenances, ...notices.allIncidents].filter(concerned).slice(0, 20),
      })
      return this.#framed(words.title(state.service.name), body)
    })
    return {
      serve: (request, response) =>
        void page.then(made => made.serve(request, response)).catch(error => response.destroy(error)),
    }
  }

  /** An incident or a maintenance by itself; undefined: there is none, or nobody may see it yet. */
  notice(id: string): Published | undefined {
    const { notices, editions, watch } = this.#o.options
    const found = notices.find(id)
    if (!found) return undefined
    return editions.kept(`/incidents/${id}`, () => {
      const article = noticeArticle(found, nameIn(watch.services))
      const body = html`<p><a href="/">← ${words.front}</a></p><h1>${found.name}</h1><section id="notices"><h2>${words.notices}</h2>${article}</section>`
      return this.#framed(words.title(found.name), body)
    })
  }

  /** Undefined: that is no month of which anything is kept. */
  history(month?: string): Published | undefined {
    const { notices, editions, watch, clock, timeZone } = this.#o.options
    const { dateAt, startOf } = calendarOf(timeZone)
    const newest = dateAt(clock.now().getTime() / 1000).slice(0, 7)
    const oldest = monthAfter(newest, -keptMonths)
    const shown = month ?? newest
    if (!isMonth(shown) || shown > newest || shown < oldest) return undefined
    return editions.kept(`/history/${shown}`, () => {
      // Of the same time zone as the days of the services.
      const [from, to] = [shown, monthAfter(shown, 1)].map(one => startOf(`${one}-01`) * 1000)
      const span = { from: from!, to: to! }
      const incidents = notices.allIncidents.filter(({ started_at }) => isIn(span, started_at))
      const all: (Incident | Maintenance)[] = [...incidents, ...notices.pastMaintenances(span)]
      const body = historyPage({
        ...{ month: shown, nameOf: nameIn(watch.services) },
        notices: all.sort((a, b) => beginOf(b).localeCompare(beginOf(a))),
        older: shown === oldest ? null : monthAfter(shown, -1),
        newer: shown === newest ? null : monthAfter(shown, 1),
      })
      return this.#framed(words.title(words.historyOf(words.month(shown))), body)
    })
  }

  #framed(title: string, body: ReturnType<typeof html>): Published {
    const { options, live } = this.#o
    const isThere = options.isStoreThere()
    const warning = !options.observer().ok ? words.observerAway : isThere ? undefined : words.storeAway
    const text = framed({
      page: options.page,
      homeUrl: options.homeUrl,
      title,
      body,
      place: live.place,
      warning,
    })
    return new Published(text, pageHeaders(isThere ? {} : staleMark))
  }
}

const isIn = ({ from, to }: Window, time: string) => Date.parse(time) >= from && Date.parse(time) < to

const beginOf = (notice: Incident | Maintenance) =>
  'started_at' in notice ? notice.started_at : notice.starts_at
