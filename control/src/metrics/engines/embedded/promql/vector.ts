/** Instant vectors: values with their labels, each set of labels at most once. */
import { type Labels, metricName } from '../labels.ts'
import { EvaluationFailed } from './refused.ts'

export interface Element {
  readonly labels: Labels
  readonly value: number
}

export type Vector = Element[]

/** Throws if two have the same labels. Vectors whose names were all the same lose nothing with them. */
export function withDifferentLabels(vector: Vector, before: readonly Pick<Element, 'labels'>[]): Vector {
  const name = before[0]?.labels.get(metricName)
  if (before.every(({ labels }) => labels.get(metricName) === name)) return vector
  return checked(vector)
}

export function checked(vector: Vector): Vector {
  const seen = new Set<string>()
  for (const { labels } of vector) {
    if (seen.has(labels.key)) {
      throw new EvaluationFailed(
        `two series of the result have the same labels: ${shown(labels)}. Sum them up, or select one of them`,
      )
    }
    seen.add(labels.key)
  }
  return vector
}

export const shown = (labels: Labels): string =>
  `{${labels.names.map((name, i) => `${name}=${JSON.stringify(labels.values[i])}`).join(', ')}}`
