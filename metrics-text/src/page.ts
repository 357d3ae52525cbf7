/** What a page says, line by line, and the families that its metadata describe. */
import type { Series } from './series.ts'

export type MetricType =
  | 'counter'
  | 'gauge'
  | 'histogram'
  | 'summary'
  /** Of the plain text; OpenMetrics says `unknown`. */
  | 'untyped'
  | 'unknown'
  | 'info'
  | 'stateset'
  | 'gaugehistogram'

export interface Page {
  /** In the order of the page. */
  metadata: Metadata[]
  /** In the order of the page. A plain text may hold a series twice; Prometheus takes the first. */
  samples: Sample[]
}

/** A line of HELP, TYPE or UNIT. */
export interface Metadata {
  line: number
  keyword: 'HELP' | 'TYPE' | 'UNIT'
  name: string
  /** As it is written: the escapes of a help text are still in it. */
  text: string
}

export interface Sample {
  line: number
  series: Series
  value: number
  /** Milliseconds since 1970, whichever the format; a fraction is possible in OpenMetrics. */
  timestampMs: number | undefined
  exemplar: Exemplar | undefined
}

export interface Exemplar {
  labels: ReadonlyMap<string, string>
  value: number
  timestampMs: number | undefined
}

export interface Family {
  name: string
  type: MetricType
  help: string
  unit: string
}

/** Families by name; those without metadata are not among them. Of lines that say the same twice, the last counts. */
export function familiesOf({ metadata }: Page): Map<string, Family> {
  const families = new Map<string, Family>()
  for (const { keyword, name, text } of metadata) {
    const family = families.get(name) ?? { name, type: 'unknown', help: '', unit: '' }
    families.set(name, family)
    if (keyword === 'TYPE') family.type = text as MetricType
    else if (keyword === 'UNIT') family.unit = text
    else family.help = unescaped(text)
  }
  return families
}

/** Escapes that the formats do not know stay as they are. */
export const unescaped = (text: string): string =>
  text.includes('\\')
    ? text.replace(/\\([\\"n])/g, (_, character: string) => (character === 'n' ? '\n' : character))
    : text
