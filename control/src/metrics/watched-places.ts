/** Which targets of the files the watch looks at anyway, so that nobody is asked twice. */
import type { MonitoredService, Scrape, Watch } from '#watch'
import { type ProbePage, probePage } from './probe-page.ts'
import { type PlaceOptions, type ScrapePlace, scrapePlaces, urlOf } from './scrape-places.ts'

export class WatchedPlaces {
  readonly #watch: Pick<Watch, 'service' | 'services' | 'onScrape' | 'onNews'>
  readonly #control: string
  readonly #lacking = new Set<string>()
  #places: readonly ScrapePlace[] = []
  #byTarget = new Map<string, ScrapePlace>()

  constructor(watch: WatchedPlaces['watch'], control: string) {
    this.#watch = watch
    this.#control = control
  }

  /** host:port at which this machine reaches control. */
  get control(): string {
    return this.#control
  }

  get watch(): Pick<Watch, 'service' | 'services' | 'onScrape' | 'onNews'> {
    return this.#watch
  }

  get all(): readonly ScrapePlace[] {
    return this.#places
  }

  set(services: readonly MonitoredService[]): void {
    const options: PlaceOptions = { control: this.#control, lacksMetrics: id => this.#lacking.has(id) }
    this.#places = services.flatMap(service => scrapePlaces(service, options))
    this.#byTarget = new Map(this.#places.map(place => [keyOf(place.job, urlOf(place)), place]))
  }

  /** Metrics are optional: whether a service has some shows when it is asked. True: that is another than before. */
  learn(service: string): boolean {
    let changed = false
    for (const { instance, look } of this.#watch.service(service)?.instances.values() ?? []) {
      if (instance.kind !== 'api' || !look) continue
      const lacks = this.#lacking.has(instance.id)
      if (!lacks && look.live.ok && look.ready && look.metrics === null && instance.paths.metrics !== null) {
        this.#lacking.add(instance.id)
        changed = true
      } else if (lacks && look.metrics?.ok) {
        this.#lacking.delete(instance.id)
        changed = true
      }
    }
    return changed
  }

  /** Undefined: it is none of the services, but a job of the users' own. */
  placeOf(job: string, url: string): ScrapePlace | undefined {
    return this.#byTarget.get(keyOf(job, url))
  }

  onScrape(listener: (instance: string, scrape: Scrape) => void): void {
    this.#watch.onScrape((target, scrape) => listener(target.instance.id, scrape))
  }

  /** What control tells of a service that has no metrics of its own. */
  probe(service: string): ProbePage {
    return probePage(service, this.#watch.service(service))
  }
}

const keyOf = (job: string, url: string) => `${job} ${url}`
