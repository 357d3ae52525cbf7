/** Sums and the like of a vector, group by group. */
import { Labels, metricName, valuesKey } from '../labels.ts'
import { staysInfinite } from './range-functions.ts'
import type { Aggregate, Aggregation } from './tree.ts'
import type { Vector } from './vector.ts'

interface Group {
  readonly labels: Labels
  value: number
  count: number
}

/** The value of a group after one more, which is the `count`th. */
const steps: Readonly<Record<Aggregation, (value: number, next: number, count: number) => number>> = {
  sum: (value, next) => value + next,
  avg: (value, next, count) => (staysInfinite(value, next) ? value : value + (next / count - value / count)),
  min: (value, next) => (next < value || Number.isNaN(value) ? next : value),
  max: (value, next) => (next > value || Number.isNaN(value) ? next : value),
  count: value => value + 1,
  group: () => 1,
}

const firsts: Partial<Record<Aggregation, number>> = { count: 1, group: 1 }

export function aggregated({ operator, grouping, labels }: Aggregate, vector: Vector): Vector {
  const step = steps[operator]
  const groups = new Map<string, Group>()
  const left = grouping === 'without' ? [...labels, metricName] : labels
  for (const element of vector) {
    const kept = grouping === 'without' ? element.labels.without(left) : undefined
    const key = kept ? kept.key : valuesKey(element.labels, left)
    const group = groups.get(key)
    if (group) group.value = step(group.value, element.value, ++group.count)
    else {
      const own = kept ?? (left.length === 0 ? Labels.none : element.labels.only(left))
      groups.set(key, { labels: own, value: firsts[operator] ?? element.value, count: 1 })
    }
  }
  return [...groups.values()].map(({ labels: own, value }) => ({ labels: own, value }))
}
