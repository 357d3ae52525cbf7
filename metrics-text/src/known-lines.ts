/** What was read in earlier pages, by its text: a series that comes again costs a look into a map. */
import type { Format } from './format.ts'
import type { Metadata } from './page.ts'
import type { Series } from './series.ts'

const mostMegabytes = 64
/** What a line takes beside its characters. */
const bytesBeside = 250

/**
 * Kept from page to page, by one reader or by many: services of one kind share almost all their series. It takes at most
 * about so many megabytes for each format; lines that no page has any more are forgotten.
 */
export class KnownLines {
  readonly #formats: Record<Format, KnownLinesOfFormat>

  constructor(megabytes = mostMegabytes) {
    // Of series and of metadata two generations each.
    const bytes = (megabytes * 1e6) / 4
    this.#formats = { text: ofFormat(bytes), openmetrics: ofFormat(bytes) }
  }

  /** What is right in one format may be wrong in the other. */
  of(format: Format): KnownLinesOfFormat {
    return this.#formats[format]
  }
}

export interface KnownLinesOfFormat {
  series: Generations<Series>
  metadata: Generations<KnownMetadata>
}

export type KnownMetadata = Omit<Metadata, 'line'>

const ofFormat = (bytes: number): KnownLinesOfFormat => ({
  series: new Generations(bytes),
  metadata: new Generations(bytes),
})

/** Two generations: what is not asked for while the younger one fills is gone with the older one. */
export class Generations<T> {
  readonly #mostBytes: number
  #young = new Map<string, T>()
  #old = new Map<string, T>()
  #bytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  get(text: string): T | undefined {
    const known = this.#young.get(text)
    if (known !== undefined || this.#old.size === 0) return known
    const old = this.#old.get(text)
    if (old !== undefined) this.set(owned(text), old)
    return old
  }

  /** The text must be {@link owned}. */
  set(text: string, value: T): void {
    this.#bytes += text.length + bytesBeside
    if (this.#bytes > this.#mostBytes) {
      this.#old = this.#young
      this.#young = new Map()
      this.#bytes = 0
    }
    this.#young.set(text, value)
  }
}

/** A part of a page would keep the whole page in memory. */
export const owned = (text: string): string => Buffer.from(text).toString()
