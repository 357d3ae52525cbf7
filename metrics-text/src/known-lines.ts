/** What was read in earlier pages, by its text: a series that comes again costs a look into a map. */
import type { Format } from './format.ts'
import type { Metadata } from './page.ts'
import type { Series } from './series.ts'

/** About 200 bytes each. */
const mostLines = 100_000

/**
 * Kept from page to page, by one reader or by many: services of one kind share almost all their series. At most about
 * `most` lines are kept of series and of metadata each; those that no page has any more are forgotten.
 */
export class KnownLines {
  readonly #formats: Record<Format, KnownLinesOfFormat>

  constructor(most = mostLines) {
    this.#formats = { text: ofFormat(most / 2), openmetrics: ofFormat(most / 2) }
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

const ofFormat = (most: number): KnownLinesOfFormat => ({
  series: new Generations(most),
  metadata: new Generations(most),
})

/** Two generations: what is not asked for while the younger one fills is gone with the older one. */
export class Generations<T> {
  readonly #most: number
  #young = new Map<string, T>()
  #old = new Map<string, T>()

  constructor(most: number) {
    this.#most = most
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
    if (this.#young.size >= this.#most) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(text, value)
  }
}

/** A part of a page would keep the whole page in memory. */
export const owned = (text: string): string => Buffer.from(text).toString()
