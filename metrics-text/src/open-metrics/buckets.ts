/** What makes a point of a histogram or of a gauge histogram. */
import { numberOf } from '../number.ts'
import type { Sample } from '../page.ts'
import { PageError } from '../page-error.ts'
import type { OpenFamily } from './family.ts'
import { checkCount, checkCreated, checkInteger, refuseLabel } from './value-rules.ts'

/** Throws a {@link PageError} on the first thing that is wrong. */
export function checkBuckets(family: OpenFamily, samples: Sample[]): void {
  const { name, type } = family
  const isGauge = type === 'gaugehistogram'
  const [sumName, countName] = isGauge ? [`${name}_gsum`, `${name}_gcount`] : [`${name}_sum`, `${name}_count`]
  const named = (wanted: string) => samples.find(({ series }) => series.name === wanted)
  const buckets = samples.filter(({ series }) => series.name === `${name}_bucket`)
  for (const sample of samples) checkValue(family, sample)
  const lowest = checkOrder(name, buckets, samples[0]!)
  const sum = named(sumName)
  const count = named(countName)
  if (Boolean(sum) !== Boolean(count))
    throw new PageError(`${sumName} and ${countName} come together or not at all`, (sum ?? count)!.line)
  if (count && count.value !== buckets.at(-1)!.value)
    throw new PageError(`${countName} is not equal to the bucket le="+Inf"`, count.line)
  if (sum) checkSum(sum, { isGauge, hasNegative: lowest < 0 })
}

function checkValue({ name }: OpenFamily, sample: Sample): void {
  const { series } = sample
  if (series.name === `${name}_bucket`) checkBucket(sample)
  else refuseLabel(sample, 'le')
  if (series.name === `${name}_created`) checkCreated(sample)
}

function checkBucket(sample: Sample): void {
  const { series, exemplar, line } = sample
  const bound = boundOf(sample)
  checkCount(sample)
  checkInteger(sample)
  if (exemplar && !(exemplar.value <= bound))
    throw new PageError(`the exemplar of ${series.text} is ${exemplar.value}, outside of its bucket`, line)
}

/** The bounds increase, the counts do not decrease, and the last is for everything; the lowest bound. */
function checkOrder(name: string, buckets: Sample[], first: Sample): number {
  for (const [i, bucket] of buckets.entries()) {
    if (i === 0) continue
    if (!(boundOf(bucket) > boundOf(buckets[i - 1]!)))
      throw new PageError(`the buckets of ${name} are not in order of le`, bucket.line)
    if (bucket.value < buckets[i - 1]!.value)
      throw new PageError(`the buckets of ${name} are not cumulative`, bucket.line)
  }
  const last = buckets.at(-1)
  if (!last || boundOf(last) !== Infinity)
    throw new PageError(`${name} has no bucket le="+Inf"`, (last ?? first).line)
  return boundOf(buckets[0]!)
}

/** Infinity has one spelling, so that it is one label value everywhere. */
function boundOf({ series, line }: Sample): number {
  const le = series.labels.get('le') ?? ''
  const bound = numberOf(le)
  if (bound === undefined || Number.isNaN(bound) || (bound === Infinity && le !== '+Inf'))
    throw new PageError(`${series.text} has no number as le`, line)
  return bound
}

function checkSum(sum: Sample, { isGauge, hasNegative }: { isGauge: boolean; hasNegative: boolean }): void {
  const { series, value, line } = sum
  if (hasNegative && !isGauge)
    throw new PageError(`${series.text} is there although a bucket has a negative bound`, line)
  if (Number.isNaN(value) || (value < 0 && !hasNegative))
    throw new PageError(`${series.text} is ${value}`, line)
}
