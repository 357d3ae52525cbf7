/** What makes the samples of one family a histogram. */
import { numberOf, type Sample, seriesOf } from './sample.ts'

/** Throws a sentence on the first thing that is wrong. */
export function checkHistogram(name: string, samples: readonly Sample[]): void {
  const byLabels = Map.groupBy(samples, ({ labels }) => seriesOf({ name, labels: withoutBound(labels) }))
  for (const group of byLabels.values()) checkBuckets(name, group)
}

function checkBuckets(name: string, samples: readonly Sample[]): void {
  const buckets = samples.filter(sample => sample.name === `${name}_bucket`)
  const count = samples.find(sample => sample.name === `${name}_count`)?.value
  if (count === undefined) throw new Error(`${name}_count is missing`)
  if (!samples.some(sample => sample.name === `${name}_sum`)) throw new Error(`${name}_sum is missing`)
  const bounds = buckets.map(({ labels }) => numberOf(labels.get('le') || 'none'))
  if (bounds.some(Number.isNaN)) throw new Error(`a bucket of ${name} has no number as le`)
  for (const [i, { value }] of buckets.entries()) {
    if (i > 0 && bounds[i]! <= bounds[i - 1]!)
      throw new Error(`the buckets of ${name} are not in order of le`)
    if (i > 0 && value < buckets[i - 1]!.value) throw new Error(`the buckets of ${name} are not cumulative`)
  }
  if (bounds.at(-1) !== Infinity) throw new Error(`${name} has no bucket le="+Inf"`)
  if (buckets.at(-1)!.value !== count) throw new Error(`${name}: the bucket le="+Inf" is not equal to _count`)
}

function withoutBound(labels: ReadonlyMap<string, string>): Map<string, string> {
  const rest = new Map(labels)
  rest.delete('le')
  return rest
}
