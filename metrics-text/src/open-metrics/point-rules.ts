/** What a point of each type must be. */
import { numberOf } from '../number.ts'
import type { Sample } from '../page.ts'
import { PageError } from '../page-error.ts'
import { checkBuckets } from './buckets.ts'
import type { OpenFamily, OpenType } from './family.ts'
import { checkCount, checkCreated, checkInteger, refuseLabel } from './value-rules.ts'

/** Each throws a {@link PageError}. The samples are those of one metric at one time, and all different. */
export const pointRules: Record<OpenType, (family: OpenFamily, samples: Sample[]) => void> = {
  gauge: () => {},
  unknown: () => {},
  info: (_, samples) => samples.forEach(checkInfo),
  stateset: ({ name }, samples) => {
    for (const sample of samples) checkState(name, sample)
  },
  counter: checkCounter,
  summary: checkSummary,
  histogram: checkBuckets,
  gaugehistogram: checkBuckets,
}

function checkInfo({ series, value, line }: Sample): void {
  if (value !== 1)
    throw new PageError(`${series.text} is ${value}, and the value of an info is always 1`, line)
}

function checkState(name: string, { series, value, line }: Sample): void {
  if (!series.labels.has(name))
    throw new PageError(`${series.text} has no label ${name}, which names the state`, line)
  if (value !== 0 && value !== 1)
    throw new PageError(`${series.text} is ${value}, and a state is 0 or 1`, line)
}

function checkCounter({ name }: OpenFamily, samples: Sample[]): void {
  for (const sample of samples) {
    if (sample.series.name === `${name}_created`) checkCreated(sample)
    else checkCount(sample)
  }
  if (!samples.some(({ series }) => series.name === `${name}_total`))
    throw new PageError(`${name}_total is missing beside ${samples[0]!.series.text}`, samples[0]!.line)
}

function checkSummary({ name }: OpenFamily, samples: Sample[]): void {
  const quantiles = new Set<number>()
  for (const sample of samples) {
    const { series, line } = sample
    if (series.name === name) {
      const quantile = checkQuantile(sample)
      if (quantiles.has(quantile))
        throw new PageError(`the quantile ${quantile} of ${name} is there twice`, line)
      quantiles.add(quantile)
      continue
    }
    refuseLabel(sample, 'quantile')
    if (series.name === `${name}_created`) checkCreated(sample)
    else checkCount(sample)
    if (series.name === `${name}_count`) checkInteger(sample)
  }
}

function checkQuantile({ series, value, line }: Sample): number {
  const quantile = numberOf(series.labels.get('quantile') ?? '')
  if (quantile === undefined || !(quantile >= 0 && quantile <= 1))
    throw new PageError(`${series.text} has no number from 0 to 1 as quantile`, line)
  if (value < 0) throw new PageError(`${series.text} is ${value}, which is negative`, line)
  return quantile
}
