/** What has to be kept in memory, read off the expressions that will be evaluated. */
import { metricName } from './labels.ts'
import { matcherOf } from './matcher.ts'
import { type Expression, selectorsOf } from './promql/tree.ts'
import { lookbackMs, type Need } from './series.ts'

/** `spanMs`: for a chart, which evaluates its expression at moments that lie so far back. */
export function needsOf(expressions: readonly Expression[], spanMs = 0): Need[] {
  return expressions.flatMap(selectorsOf).map(({ key, matchers, rangeMs, offsetMs }) => ({
    key,
    matchers,
    keepMs: spanMs + Math.max(0, offsetMs) + (rangeMs || lookbackMs),
  }))
}

/** The current value of every series of a name. */
export const needOfName = (name: string): Need => ({
  key: `${metricName}=${name}`,
  matchers: [matcherOf(metricName, '=', name)],
  keepMs: lookbackMs,
})
