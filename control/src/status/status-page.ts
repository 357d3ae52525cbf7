/** The status host at work: documents, pages, events, what people write, and the copy on disk. */
import type { Observer, Status } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { type Events, type Following, keepTold } from '#events'
import type { PublishedAt, Route } from '#http'
import type { Store } from '#store'
import type { History, Watch } from '#watch'
import { Charts } from './charts.ts'
import { StatusCopy } from './copy.ts'
import { statusDocuments } from './documents.ts'
import { Editions } from './editions.ts'
import { Entries } from './entries.ts'
import { Incidents } from './incidents/incidents.ts'
import { IncidentTemplates } from './incidents/templates.ts'
import { Live } from './live.ts'
import { Maintenances } from './maintenances/maintenances.ts'
import { changingNotices, Notices, readNotices } from './notices.ts'
import { Rows } from './page/rows.ts'
import { Pages } from './pages.ts'
import { noticeRoutes } from './routes.ts'
import { StatusJson, type StatusOptions } from './status-json.ts'
import { StorePresence } from './store-presence.ts'
import { tellChanges } from './tell-changes.ts'

const tickMs = 1000
/** The copy is no older than this, even when nothing happens. */
const copyEveryMs = 60_000
/** And after a change no older than this. */
const copySoonMs = 1000

export interface StatusPageOptions {
  readonly store: Store
  readonly events: Events
  readonly clock: Clock
  readonly log: Logger
  readonly watch: Watch
  readonly history: History
  observer(): Observer
  readonly page: Status['page']
  /** Of the environment's front page. */
  readonly homeUrl: string
  readonly timeZone: string
  readonly home: string
}

export class StatusPage {
  readonly documents: readonly PublishedAt[]
  readonly routes: readonly Route[]
  /** Alerts open drafts here. */
  readonly incidents: Incidents
  readonly live = new Live()
  readonly #given: StatusPageOptions
  readonly #notices: Notices
  readonly #status: StatusJson
  readonly #rows: Rows
  readonly #copy: StatusCopy
  readonly #presence: StorePresence
  readonly #stopTelling: () => void
  #ticking: NodeJS.Timeout | undefined
  #copyDueMs = 0

  constructor(given: StatusPageOptions) {
    this.#given = given
    const { store, events, clock, log, watch, history, timeZone, page, homeUrl, home } = given
    const notices = new Notices(clock, timeZone)
    notices.onChange(() => watch.maintain(notices.maintained))
    const editions = new Editions({ watch, notices, clock })
    const entries = new Entries({ watch, history, clock, url: page.url })
    this.#presence = new StorePresence(store, () => editions.change())
    const options: StatusOptions = {
      ...{ watch, history, clock, notices, entries, editions, page, homeUrl, timeZone },
      observer: () => given.observer(),
      isStoreThere: () => this.#presence.isThere,
    }
    this.#notices = notices
    this.#status = new StatusJson(options)
    this.#rows = new Rows(options)
    this.#copy = new StatusCopy(home, log)
    const { live } = this
    const pages = new Pages({
      ...{ options, status: this.#status, rows: this.#rows, live },
      charts: new Charts(options, store, log),
    })
    this.documents = statusDocuments({ options, status: this.#status, pages, live })
    const isService = (id: string) => watch.service(id) !== undefined
    const templates = new IncidentTemplates(events, clock)
    this.incidents = new Incidents({ events, clock, templates, isService })
    const maintenances = new Maintenances({ events, clock, timeZone, isService })
    this.routes = noticeRoutes({ incidents: this.incidents, templates, maintenances })
    this.#stopTelling = tellChanges(options, this.#status, live)
    const copySoon = () => {
      this.#copyDueMs = Math.min(this.#copyDueMs, clock.monotonicMs() + copySoonMs)
    }
    watch.onNews((_service, news) => news === 'changed' && copySoon())
    notices.onChange(copySoon)
  }

  /** Before anything is watched: what is under maintenance is so from the first look on. */
  async open(): Promise<void> {
    const { store, clock } = this.#given
    this.#notices.set(await store.read(transaction => readNotices(transaction, clock.now())))
  }

  /** Whether downtime of a service is announced for this moment. */
  isMaintained(service: string): boolean {
    return this.#notices.maintained.has(service)
  }

  /** Until it is ended. */
  async follow(following: Following): Promise<void> {
    this.#presence.start()
    this.#ticking = setInterval(() => this.#tick(), tickMs)
    await keepTold(following, {
      what: 'incidents and maintenances',
      changing: changingNotices,
      read: transaction => readNotices(transaction, this.#given.clock.now()),
      tell: written => this.#notices.set(written),
    })
    clearInterval(this.#ticking)
    this.#presence.stop()
    this.#stopTelling()
    await this.#copy.write(this.#status.get()!)
  }

  /** Nobody is told anything any more. */
  beginStop(): void {
    this.live.close()
  }

  #tick(): void {
    this.#notices.tick()
    this.#rows.renew()
    const nowMs = this.#given.clock.monotonicMs()
    if (nowMs < this.#copyDueMs) return
    this.#copyDueMs = nowMs + copyEveryMs
    void this.#copy.write(this.#status.get()!)
  }
}
