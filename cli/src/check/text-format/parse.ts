/**
 * Text format 0.0.4, strictly: what the format allows a reader to guess is an error here.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
import { type Metadata, type MetricType, PageError, readPage, type Sample } from '@quarterdeck/metrics-text'
import { checkHistogram } from './histogram.ts'

export interface Family {
  name: string
  kind: MetricType
  help: string | undefined
  samples: Sample[]
}

export type Exposition = ReadonlyMap<string, Family>

/** Throws a {@link PageError}, which says in which line the text is wrong, and how. */
export function parseText(text: Buffer | string): Exposition {
  if (text.length === 0) throw new PageError('the text is empty')
  const { metadata, samples } = readPage(text)
  const families = new Families()
  let next = 0
  for (const sample of samples) {
    while (next < metadata.length && metadata[next]!.line < sample.line) families.describe(metadata[next++]!)
    families.add(sample)
  }
  while (next < metadata.length) families.describe(metadata[next++]!)
  return families.end()
}

interface Draft {
  name: string
  kind?: MetricType
  help?: string
  samples: Sample[]
}

class Families {
  readonly #families = new Map<string, Draft>()
  readonly #series = new Set<string>()
  #current: Draft | undefined

  describe({ keyword, name, text, line }: Metadata): void {
    const family = this.#enter(name, line)
    if (family.samples.length > 0)
      throw new PageError(`HELP and TYPE of ${name} must come before its samples`, line)
    if (keyword === 'TYPE') {
      if (family.kind) throw new PageError(`${name} has TYPE twice`, line)
      family.kind = text as MetricType
    } else {
      if (family.help !== undefined) throw new PageError(`${name} has HELP twice`, line)
      if (!/^(?:[^\\]|\\[\\n])*$/.test(text))
        throw new PageError('HELP has an escape other than \\\\ and \\n', line)
      family.help = text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character))
    }
  }

  add(sample: Sample): void {
    const { series, value, line } = sample
    const family = this.#enter(this.#familyOf(series.name), line)
    if (!/^(?:[^\\]|\\[\\"n])*$/.test(series.text))
      throw new PageError('a label value has an escape other than \\\\, \\" and \\n', line)
    if (this.#series.has(series.identity))
      throw new PageError(`the same series of ${series.name} is there twice`, line)
    this.#series.add(series.identity)
    if (family.kind === 'histogram' && series.name === family.name) {
      throw new PageError(`${series.name} is a histogram, whose samples end in _bucket, _sum or _count`, line)
    }
    if (family.kind === 'counter' && !(value >= 0))
      throw new PageError(`the counter ${series.name} is ${value}`, line)
    family.samples.push(sample)
  }

  end(): Exposition {
    const families = [...this.#families.values()].map(
      ({ name, kind = 'untyped', help, samples }): Family => ({ name, kind, help, samples }),
    )
    for (const family of families)
      if (family.kind === 'histogram') checkHistogram(family.name, family.samples)
    return new Map(families.map(family => [family.name, family]))
  }

  #familyOf(name: string): string {
    const base = name.replace(/_(bucket|sum|count)$/, '')
    const kind = this.#families.get(base)?.kind
    const belongs = kind === 'histogram' || (kind === 'summary' && !name.endsWith('_bucket'))
    return belongs ? base : name
  }

  /** All lines of a family come together. */
  #enter(name: string, line: number): Draft {
    if (this.#current?.name === name) return this.#current
    if (this.#families.has(name)) throw new PageError(`the lines of ${name} are not together`, line)
    this.#current = { name, samples: [] }
    this.#families.set(name, this.#current)
    return this.#current
  }
}
