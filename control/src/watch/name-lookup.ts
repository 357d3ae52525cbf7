/**
 * From the name of a server to its addresses, once per short time for all who ask. The system's own way needs a thread for each
 * name that is looked up and has four: a few names that hang would hold up all others. So DNS is asked directly, without threads,
 * and the system only for names that DNS answers that it does not know.
 */
import type { LookupAddress } from 'node:dns'
import { Resolver, lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { Clock } from '@quarterdeck/kit'
import { HostPlaces, type Visitor } from './host-places.ts'
import { HostsFile } from './hosts-file.ts'

export interface NameLookupOptions {
  readonly clock: Clock
  /** For one question to one DNS server; there is one more try. */
  readonly timeoutMs?: number
  /** Instead of those of the system, such as `127.0.0.1:5300`. */
  readonly servers?: readonly string[]
  readonly hostsFile?: string
}

/** How long an answer is taken as still true: as long as DNS says, within these; one that is no address, the shortest. */
const [shortestMs, longestMs] = [5000, 60_000]
/** Questions to DNS at a time: more at once would be lost on the way. */
const questionPlaces = 100
/** How many of the system's threads may be taken by lookups. */
const systemPlaces = 2
const forgottenAfterMs = 600_000
const sweepEveryMs = 60_000

interface Found {
  readonly addresses: LookupAddress[]
  readonly forMs: number
}

interface Kept {
  readonly addresses: Promise<LookupAddress[]>
  endsMs: number
  /** It was found, this time or the last. */
  isKnown: boolean
}

interface Asker extends Visitor {
  readonly begin: () => void
}

export class NameLookup {
  readonly #clock: Clock
  readonly #resolver: Resolver
  readonly #hosts: HostsFile
  readonly #kept = new Map<string, Kept>()
  // Names that are not known to be found have to share: they are those that may hang.
  readonly #questions = new HostPlaces<Asker>(questionPlaces)
  readonly #system = new HostPlaces<Asker>(systemPlaces)
  #sweptMs = 0

  constructor({ clock, timeoutMs = 1500, servers, hostsFile }: NameLookupOptions) {
    this.#clock = clock
    this.#resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
    if (servers) this.#resolver.setServers(servers)
    this.#hosts = new HostsFile(hostsFile)
  }

  /** As `net.connect` takes it. */
  readonly lookup: LookupFunction = (name, options, done) => {
    this.find(name).then(
      found => {
        const family = options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : (options.family ?? 0)
        const fitting = found.filter(address => family === 0 || address.family === family)
        const [first] = fitting
        if (!first) done(unknownName(name), '')
        else if (options.all) done(null, fitting)
        else done(null, first.address, first.family)
      },
      error => done(error, ''),
    )
  }

  /** Its addresses, in the order in which they are to be tried; rejects with an error of DNS. */
  find(name: string): Promise<LookupAddress[]> {
    const plain = name.toLowerCase().replace(/\.$/, '')
    const now = this.#clock.monotonicMs()
    const kept = this.#kept.get(plain)
    if (kept && now < kept.endsMs) return kept.addresses
    this.#sweep(now)
    const isKnown = kept?.isKnown === true
    const asked = this.#ask(plain, isKnown)
    const addresses = asked.then(found => found.addresses)
    const entry: Kept = { addresses, endsMs: Number.POSITIVE_INFINITY, isKnown }
    this.#kept.set(plain, entry)
    const settle = (isFound: boolean, forMs: number) => {
      entry.endsMs = this.#clock.monotonicMs() + forMs
      entry.isKnown = isFound
    }
    asked.then(
      ({ forMs }) => settle(true, forMs),
      () => settle(false, shortestMs),
    )
    return addresses
  }

  async #ask(name: string, isKnown: boolean): Promise<Found> {
    if (isIP(name) !== 0) return withFamilies([name])
    // These are here, whatever anybody says: RFC 6761.
    if (name === 'localhost' || name.endsWith('.localhost')) return withFamilies(['127.0.0.1', '::1'])
    const own = await this.#hosts.find(name)
    if (own.length > 0) return withFamilies(own)
    const [four, six] = await this.#inTurn(this.#questions, isKnown, () =>
      Promise.allSettled([this.#resolver.resolve4(name, ttl), this.#resolver.resolve6(name, ttl)]),
    )
    const found = [four, six].flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return foundInDns(found)
    const error = four.status === 'rejected' ? four.reason : unknownName(name)
    if (!otherwiseKnown.has(error.code)) throw error
    const addresses = await this.#inTurn(this.#system, isKnown, () =>
      systemLookup(name, { all: true, order: 'ipv4first' }),
    )
    return { addresses, forMs: shortestMs }
  }

  async #inTurn<R>(places: HostPlaces<Asker>, isKnown: boolean, work: () => Promise<R>): Promise<R> {
    const { promise, resolve: begin } = Promise.withResolvers<void>()
    const asker: Asker = { host: '', isSlow: !isKnown, dueMs: this.#clock.monotonicMs(), begin }
    if (!places.enter(asker)) await promise
    try {
      return await work()
    } finally {
      places.leave(asker)?.begin()
    }
  }

  /** Names that nobody asks for any more do not pile up. */
  #sweep(now: number): void {
    if (now < this.#sweptMs + sweepEveryMs) return
    this.#sweptMs = now
    for (const [name, { endsMs }] of this.#kept) if (endsMs + forgottenAfterMs < now) this.#kept.delete(name)
  }
}

/** Where DNS has no such name or there is no DNS, the system may know it: short names, those of the local network. */
const otherwiseKnown = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'])

const ttl = { ttl: true } as const

const withFamilies = (addresses: readonly string[]): Found => ({
  addresses: addresses.map(address => ({ address, family: isIP(address) })),
  forMs: shortestMs,
})

function foundInDns(records: readonly { address: string; ttl: number }[]): Found {
  const seconds = Math.min(...records.map(record => record.ttl))
  const forMs = Math.min(Math.max(shortestMs, 1000 * seconds), longestMs)
  return { ...withFamilies(records.map(({ address }) => address)), forMs }
}

const unknownName = (name: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`Nobody knows an address of ${name}.`), { code: 'ENOTFOUND' })
