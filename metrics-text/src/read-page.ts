/** From a page's bytes to its samples and metadata: the loop over the lines. */
import { constants, isAscii, isUtf8 } from 'node:buffer'
import type { Format } from './format.ts'
import { type KnownLines, type KnownLinesOfFormat, owned } from './known-lines.ts'
import { limits as defaultLimits, type Limits } from './limits.ts'
import { numberBetween } from './number.ts'
import { checkOpenMetrics } from './open-metrics/check.ts'
import { endOfPage, readOpenMetadata, readOpenSample } from './open-metrics/line.ts'
import type { Page } from './page.ts'
import { Misread, PageError } from './page-error.ts'
import type { Around, LineReaders } from './sample-line.ts'
import { readTextMetadata, readTextSample } from './text-line.ts'

export interface ReadOptions {
  /** By the page's Content-Type: {@link formatOf}. `text` by default. */
  format?: Format
  /** What earlier pages have held; faster where pages are alike. Without it a series keeps the text of its page in memory. */
  known?: KnownLines
  limits?: Partial<Limits>
}

/** Throws a {@link PageError}, and nothing else, where the page is not in order. */
export function readPage(page: Buffer | string, options: ReadOptions = {}): Page {
  const { format = 'text', known, limits } = options
  const reader = new PageReader(textOf(page), format, known?.of(format), { ...defaultLimits, ...limits })
  const read = reader.read()
  if (format === 'openmetrics') checkOpenMetrics(read)
  return read
}

function textOf(page: Buffer | string): string {
  const isText = typeof page === 'string'
  if (page.length > constants.MAX_STRING_LENGTH)
    throw new PageError('the page is longer than a string can be')
  if (!isText && isAscii(page)) return page.toString('latin1')
  if (!(isText ? page.isWellFormed() : isUtf8(page))) throw new PageError('the text is not UTF-8')
  return page.toString()
}

const space = 32
const hash = 35
const carriageReturn = 13
/** HELP, TYPE and UNIT, where every sample is a family of its own. */
const metadataOfSample = 3

const readers: Record<Format, LineReaders> = {
  text: { sample: readTextSample, metadata: readTextMetadata },
  openmetrics: { sample: readOpenSample, metadata: readOpenMetadata },
}

class PageReader {
  readonly #text: string
  readonly #format: Format
  readonly #known: KnownLinesOfFormat | undefined
  readonly #limits: Limits
  readonly #readers: LineReaders
  /** One for all lines. */
  readonly #around: Around
  readonly #page: Page = { metadata: [], samples: [] }
  #line = 1

  constructor(text: string, format: Format, known: KnownLinesOfFormat | undefined, limits: Limits) {
    this.#text = text
    this.#format = format
    this.#known = known
    this.#limits = limits
    this.#readers = readers[format]
    this.#around = { line: 1, known: known?.series, before: undefined, limits }
  }

  read(): Page {
    let start = 0
    try {
      const text = this.#text
      const stop = this.#format === 'openmetrics' ? endOfSamples(text) : text.length
      while (start < stop) {
        const end = text.indexOf('\n', start)
        if (end < 0) throw new PageError('the last line does not end with a newline')
        if (text.charCodeAt(start) === hash) this.#readMetadata(start, end)
        else if (!this.#readKnownSample(start, end)) this.#readSample(start, end)
        start = end + 1
        this.#line++
      }
      return this.#page
    } catch (error) {
      throw error instanceof Misread ? this.#placed(error, start) : error
    }
  }

  #readMetadata(start: number, end: number): void {
    const known = this.#known?.metadata
    const text = known ? this.#text.slice(start, end) : ''
    let found = known?.get(text)
    if (!found) {
      found = this.#readers.metadata(this.#text, start, end)
      if (!found) return
      if (known) {
        const { keyword, name, text: said } = found
        found = { keyword, name: owned(name), text: owned(said) }
        known.set(owned(text), found)
      }
    }
    this.#page.metadata.push({
      line: this.#line,
      keyword: found.keyword,
      name: found.name,
      text: found.text,
    })
    if (this.#page.metadata.length > this.#limits.samples * metadataOfSample)
      throw new PageError(`there are metadata for more than ${this.#limits.samples} samples`, this.#line)
  }

  /** A series that was read before, a blank and a number: almost every line of almost every page. */
  #readKnownSample(start: number, end: number): boolean {
    if (!this.#known) return false
    const text = this.#text
    let blank = end - 1
    while (blank > start && text.charCodeAt(blank) !== space) blank--
    if (blank <= start) return false
    const series = this.#known.series.get(text.slice(start, blank))
    if (series === undefined) return false
    const value = numberBetween(text, blank + 1, end)
    if (value === undefined) return false
    this.#page.samples.push({ line: this.#line, series, value, timestampMs: undefined, exemplar: undefined })
    this.#checkCount()
    return true
  }

  #readSample(start: number, end: number): void {
    this.#around.line = this.#line
    const sample = this.#readers.sample(this.#text, start, end, this.#around)
    if (!sample) return
    this.#around.before = sample.series.name
    this.#page.samples.push(sample)
    this.#checkCount()
  }

  #checkCount(): void {
    if (this.#page.samples.length > this.#limits.samples)
      throw new PageError(`the page has more than ${this.#limits.samples} samples`, this.#line)
  }

  #placed({ message, at }: Misread, start: number): PageError {
    const end = this.#text.indexOf('\n', start)
    // Whatever else this has led to.
    if (end > start && this.#text.charCodeAt(end - 1) === carriageReturn)
      return new PageError(
        'it ends with a carriage return; lines end with \\n alone',
        this.#line,
        end - start,
      )
    return new PageError(message, this.#line, at === undefined ? undefined : at - start + 1)
  }
}

function endOfSamples(text: string): number {
  const end = endOfPage(text)
  if (end === undefined) throw new PageError('the last line is not # EOF')
  return end
}
