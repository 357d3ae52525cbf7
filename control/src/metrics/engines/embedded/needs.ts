/** What has to be kept in memory, read off the expressions that will be evaluated. */
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
