/** A family of OpenMetrics while it is read, and what its samples are called. */
import type { Metadata, MetricType, Sample } from '../page.ts'

/** What the samples of each type are called, after the name of their family. */
const suffixes: Record<OpenType, readonly string[]> = {
  counter: ['_total', '_created'],
  gauge: [''],
  histogram: ['_bucket', '_count', '_sum', '_created'],
  gaugehistogram: ['_bucket', '_gcount', '_gsum'],
  stateset: [''],
  info: ['_info'],
  summary: ['', '_count', '_sum', '_created'],
  unknown: [''],
}

export type OpenType = Exclude<MetricType, 'untyped'>

export interface OpenFamily {
  name: string
  type: OpenType
  unit: string
  /** Of its first line. */
  line: number
  said: Set<Metadata['keyword']>
  samples: Sample[]
}

/** Whether a sample of this name can be part of the family. */
export const isOf = ({ name, type }: OpenFamily, sample: string): boolean =>
  sample.startsWith(name) && suffixes[type].includes(sample.slice(name.length))

export const samplesOf = ({ name, type }: OpenFamily): string[] => suffixes[type].map(suffix => name + suffix)
