/** The samples of one family, as metrics (one for each set of labels) and their points (one for each time). */
import type { Sample } from '../page.ts'
import { PageError } from '../page-error.ts'
import type { OpenFamily } from './family.ts'
import { pointRules } from './point-rules.ts'

/** Throws a {@link PageError} on the first thing that is wrong. */
export function checkPoints(family: OpenFamily): void {
  const metrics = new Set<string>()
  let labels: string | undefined
  let point: Sample[] = []
  for (const sample of family.samples) {
    const own = sample.series.labelsWithout(ownLabel(family, sample.series.name))
    if (own !== labels) {
      endPoint(family, point)
      if (metrics.has(own))
        throw new PageError(`the lines of ${sample.series.text} are not together`, sample.line)
      metrics.add(own)
      labels = own
      point = [sample]
    } else if (isLater(point[0]!, sample)) {
      endPoint(family, point)
      point = [sample]
    } else point.push(sample)
  }
  endPoint(family, point)
}

/** The label that sets samples of one name apart within a point; none of them is a label of the metric. */
function ownLabel({ name, type }: OpenFamily, sampleName: string): string {
  if (type === 'stateset') return name
  if (type === 'summary' && sampleName === name) return 'quantile'
  return (type === 'histogram' || type === 'gaugehistogram') && sampleName === `${name}_bucket` ? 'le' : ''
}

function isLater(first: Sample, { series, timestampMs, line }: Sample): boolean {
  if (first.timestampMs === timestampMs) return false
  if (first.timestampMs === undefined || timestampMs === undefined)
    throw new PageError(`some samples of ${series.text} have a timestamp and some have none`, line)
  if (timestampMs < first.timestampMs)
    throw new PageError(`the timestamps of ${series.text} do not increase`, line)
  return true
}

function endPoint(family: OpenFamily, samples: Sample[]): void {
  if (samples.length === 0) return
  for (const sample of samples) checkExemplar(family, sample)
  if (samples.length > 1) checkTwice(family, samples)
  pointRules[family.type](family, samples)
}

function checkTwice(family: OpenFamily, samples: Sample[]): void {
  const seen = new Set<string>()
  for (const { series, line } of samples) {
    const own = `${series.name} ${series.labels.get(ownLabel(family, series.name)) ?? ''}`
    if (seen.has(own)) throw new PageError(`the same series of ${series.name} is there twice`, line)
    seen.add(own)
  }
}

/** Code points of all names and values of an exemplar's labels. */
const longestExemplar = 128

function checkExemplar({ name, type }: OpenFamily, { series, exemplar, line }: Sample): void {
  if (!exemplar) return
  const mayHave =
    (type === 'counter' && series.name === `${name}_total`) ||
    ((type === 'histogram' || type === 'gaugehistogram') && series.name === `${name}_bucket`)
  if (!mayHave)
    throw new PageError(`${series.name} has an exemplar, which only counters and buckets may have`, line)
  let length = 0
  for (const [label, value] of exemplar.labels) length += [...label].length + [...value].length
  if (length > longestExemplar)
    throw new PageError(`the labels of the exemplar are longer than ${longestExemplar} characters`, line)
}
