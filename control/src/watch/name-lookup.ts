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
  /** How long an answer, good or bad, is taken as still true. */
  readonly keptForMs?: number
  /** For one question to one DNS server; there is one more try. */
  readonly timeoutMs?: number
  /** Instead of those of the system, such as `127.0.0.1:5300`. */
  readonly servers?: readonly string[]
  readonly hostsFile?: string
}

/** Questions to DNS at a time: more at once would be lost on the way. */
const questionPlaces = 100
/** How many of the system's threads may be taken by lookups. */
const systemPlaces = 2
const forgottenAfterMs = 600_000
const sweepEveryMs = 60_000

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
  readonly #keptForMs: number
  readonly #resolver: Resolver
  readonly #hosts: HostsFile
  readonly #kept = new Map<string, Kept>()
  // Names that are not known to be found have to share: they are those that may hang.
  readonly #questions = new HostPlaces<Asker>(questionPlaces)
  readonly #system = new HostPlaces<Asker>(systemPlaces)
  #sweptMs = 0

  constructor({ clock, keptForMs = 5000, timeoutMs = 1500, servers, hostsFile }: NameLookupOptions) {
    this.#clock = clock
    this.#keptForMs = keptForMs
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
    const addresses = this.#ask(plain, isKnown)
    const entry: Kept = { addresses, endsMs: Number.POSITIVE_INFINITY, isKnown }
    this.#kept.set(plain, entry)
    const settle = (isFound: boolean) => {
      entry.endsMs = this.#clock.monotonicMs() + this.#keptForMs
      entry.isKnown = isFound
    }
    addresses.then(
      () => settle(true),
      () => settle(false),
    )
    return addresses
  }

  async #ask(name: string, isKnown: boolean): Promise<LookupAddress[]> {
    if (isIP(name) !== 0) return withFamilies([name])
    // These are here, whatever anybody says: RFC 6761.
    if (name === 'localhost' || name.endsWith('.localhost')) return withFamilies(['127.0.0.1', '::1'])
    const own = await this.#hosts.find(name)
    if (own.length > 0) return withFamilies(own)
    const [four, six] = await this.#inTurn(this.#questions, isKnown, () =>
      Promise.allSettled([this.#resolver.resolve4(name), this.#resolver.resolve6(name)]),
    )
    const found = [four, six].flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return withFamilies(found)
    const error = four.status === 'rejected' ? four.reason : unknownName(name)
    if (!otherwiseKnown.has(error.code)) throw error
    return this.#inTurn(this.#system, isKnown, () => systemLookup(name, { all: true, order: 'ipv4first' }))
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

const withFamilies = (addresses: readonly string[]): LookupAddress[] =>
  addresses.map(address => ({ address, family: isIP(address) }))

const unknownName = (name: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`Nobody knows an address of ${name}.`), { code: 'ENOTFOUND' })
