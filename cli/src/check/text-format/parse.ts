/**
 * Text format 0.0.4, strictly: what the format allows a reader to guess is an error here.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
import { checkHistogram } from './histogram.ts'
import { parseSample, type Sample, seriesOf } from './sample.ts'

const kinds = ['counter', 'gauge', 'histogram', 'summary', 'untyped'] as const
export type Kind = (typeof kinds)[number]

export interface Family {
  name: string
  kind: Kind
  help: string | undefined
  samples: Sample[]
}

export type Exposition = ReadonlyMap<string, Family>

/** Says in which line the text is wrong, and how. */
export class FormatError extends Error {}

export function parseText(text: string): Exposition {
  if (text === '') throw new FormatError('the text is empty')
  if (!text.endsWith('\n')) throw new FormatError('the last line does not end with a newline')
  const reader = new Reader()
  for (const [i, line] of text.split('\n').entries()) explained(`line ${i + 1}: `, () => reader.read(line))
  return explained('', () => reader.end())
}

function explained<T>(place: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new FormatError(`${place}${(error as Error).message}`)
  }
}

interface Draft {
  name: string
  kind?: Kind
  help?: string
  samples: Sample[]
}

class Reader {
  readonly #families = new Map<string, Draft>()
  readonly #series = new Set<string>()
  #current: Draft | undefined

  read(line: string): void {
    const [, keyword, rest = ''] = line.match(/^#[ \t]*(HELP|TYPE)(?:[ \t]+(.*))?$/) ?? []
    if (keyword === 'HELP') this.#help(rest)
    else if (keyword === 'TYPE') this.#type(rest)
    else if (!/^([ \t]*$|#)/.test(line)) this.#sample(parseSample(line))
  }

  end(): Exposition {
    const families = [...this.#families.values()].map(
      ({ name, kind = 'untyped', help, samples }): Family => ({ name, kind, help, samples }),
    )
    for (const family of families)
      if (family.kind === 'histogram') checkHistogram(family.name, family.samples)
    return new Map(families.map(family => [family.name, family]))
  }

  #help(rest: string): void {
    const [, name, help = ''] = rest.match(/^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:[ \t](.*))?$/) ?? []
    if (name === undefined) throw new Error('HELP names no metric')
    if (!/^(?:[^\\]|\\[\\n])*$/.test(help)) throw new Error('HELP has an escape other than \\\\ and \\n')
    const family = this.#metadata(name)
    if (family.help !== undefined) throw new Error(`${name} has HELP twice`)
    family.help = help.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character))
  }

  #type(rest: string): void {
    const [, name, word] = rest.match(/^([a-zA-Z_:][a-zA-Z0-9_:]*)[ \t]+(\S+)[ \t]*$/) ?? []
    const kind = kinds.find(known => known === word)
    if (name === undefined || !kind) throw new Error(`TYPE must name a metric and one of ${kinds.join(', ')}`)
    const family = this.#metadata(name)
    if (family.kind) throw new Error(`${name} has TYPE twice`)
    family.kind = kind
  }

  #metadata(name: string): Draft {
    const family = this.#enter(name)
    if (family.samples.length > 0) throw new Error(`HELP and TYPE of ${name} must come before its samples`)
    return family
  }

  #sample(sample: Sample): void {
    const family = this.#enter(this.#familyOf(sample.name))
    const series = seriesOf(sample)
    if (this.#series.has(series)) throw new Error(`the same series of ${sample.name} is there twice`)
    this.#series.add(series)
    if (family.kind === 'histogram' && sample.name === family.name) {
      throw new Error(`${sample.name} is a histogram, whose samples end in _bucket, _sum or _count`)
    }
    if (family.kind === 'counter' && !(sample.value >= 0)) {
      throw new Error(`the counter ${sample.name} is ${sample.value}`)
    }
    family.samples.push(sample)
  }

  #familyOf(name: string): string {
    const base = name.replace(/_(bucket|sum|count)$/, '')
    const kind = this.#families.get(base)?.kind
    const belongs = kind === 'histogram' || (kind === 'summary' && !name.endsWith('_bucket'))
    return belongs ? base : name
  }

  /** All lines of a family come together. */
  #enter(name: string): Draft {
    if (this.#current?.name === name) return this.#current
    if (this.#families.has(name)) throw new Error(`the lines of ${name} are not together`)
    this.#current = { name, samples: [] }
    this.#families.set(name, this.#current)
    return this.#current
  }
}
