/** What makes the samples of one family a histogram. */
import { numberOf, PageError, type Sample } from '@quarterdeck/metrics-text'

/** Throws a {@link PageError} on the first thing that is wrong. */
export function checkHistogram(name: string, samples: readonly Sample[]): void {
  const byLabels = Map.groupBy(samples, ({ series }) => series.labelsWithout('le'))
  for (const group of byLabels.values()) checkBuckets(name, group)
}

function checkBuckets(name: string, samples: readonly Sample[]): void {
  const named = (suffix: string) => samples.filter(({ series }) => series.name === `${name}${suffix}`)
  const buckets = named('_bucket')
  const [count] = named('_count')
  if (!count) throw new PageError(`${name}_count is missing`)
  if (named('_sum').length === 0) throw new PageError(`${name}_sum is missing`)
  const bounds = buckets.map(({ series }) => numberOf(series.labels.get('le') ?? '') ?? Number.NaN)
  const odd = bounds.findIndex(Number.isNaN)
  if (odd >= 0) throw new PageError(`a bucket of ${name} has no number as le`, buckets[odd]!.line)
  for (const [i, { value, line }] of buckets.entries()) {
    if (i > 0 && bounds[i]! <= bounds[i - 1]!)
      throw new PageError(`the buckets of ${name} are not in order of le`, line)
    if (i > 0 && value < buckets[i - 1]!.value)
      throw new PageError(`the buckets of ${name} are not cumulative`, line)
  }
  if (bounds.at(-1) !== Infinity) throw new PageError(`${name} has no bucket le="+Inf"`)
  if (buckets.at(-1)!.value !== count.value)
    throw new PageError(`${name}: the bucket le="+Inf" is not equal to _count`, count.line)
}
