/**
 * From the name of a server to its addresses, once per short time for all who ask. The system's own way needs a thread for each
 * name that is looked up and has four: a few names that hang would hold up all others. So DNS is asked directly, without threads,
 * and the system only for names that DNS answers that it does not know.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { Clock } from '@quarterdeck/kit'
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

/** How many of the system's threads may be taken by lookups. */
const systemPlaces = 2

interface Kept {
  readonly addresses: Promise<LookupAddress[]>
  endsMs: number
}

export class NameLookup {
  readonly #clock: Clock
  readonly #keptForMs: number
  readonly #resolver: Resolver
  readonly #hosts: HostsFile
  readonly #kept = new Map<string, Kept>()
  readonly #waiting: (() => void)[] = []
  #systemUsed = 0

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
    const now = this.#clock.monotonicMs()
    const kept = this.#kept.get(name)
    if (kept && now < kept.endsMs) return kept.addresses
    this.#forgetOld(now)
    const addresses = this.#ask(name)
    const entry: Kept = { addresses, endsMs: Number.POSITIVE_INFINITY }
    this.#kept.set(name, entry)
    const settled = () => {
      entry.endsMs = this.#clock.monotonicMs() + this.#keptForMs
    }
    addresses.then(settled, settled)
    return addresses
  }

  async #ask(name: string): Promise<LookupAddress[]> {
    const plain = name.toLowerCase().replace(/\.$/, '')
    if (isIP(plain) !== 0) return withFamilies([plain])
    // These are here, whatever anybody says: RFC 6761.
    if (plain === 'localhost' || plain.endsWith('.localhost')) return withFamilies(['127.0.0.1', '::1'])
    const own = await this.#hosts.find(plain)
    if (own.length > 0) return withFamilies(own)
    const [four, six] = await Promise.allSettled([
      this.#resolver.resolve4(plain),
      this.#resolver.resolve6(plain),
    ])
    const found = [four, six].flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return withFamilies(found)
    const error = four.status === 'rejected' ? four.reason : unknownName(name)
    if (error.code !== 'ENOTFOUND' && error.code !== 'ENODATA') throw error
    return this.#askSystem(name)
  }

  /** For names that only the system knows: short ones, those of the local network. */
  async #askSystem(name: string): Promise<LookupAddress[]> {
    if (this.#systemUsed >= systemPlaces) await new Promise<void>(resolve => this.#waiting.push(resolve))
    else this.#systemUsed++
    const { promise, resolve, reject } = Promise.withResolvers<LookupAddress[]>()
    systemLookup(name, { all: true, order: 'ipv4first' }, (error, found) => {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#systemUsed--
      if (error) reject(error)
      else resolve(found)
    })
    return promise
  }

  /** Now and then, so that names that nobody asks for any more do not pile up. */
  #forgetOld(now: number): void {
    if (this.#kept.size < 1000) return
    for (const [name, { endsMs }] of this.#kept) if (endsMs <= now) this.#kept.delete(name)
  }
}

const withFamilies = (addresses: readonly string[]): LookupAddress[] =>
  addresses.map(address => ({ address, family: isIP(address) }))

const unknownName = (name: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`Nobody knows an address of ${name}.`), { code: 'ENOTFOUND' })
