/** GET and POST /api/v1/query: the value of an expression at one moment. */
import { type PrometheusQuery, prometheusDuration } from '@quarterdeck/contract'
import { type ApiAnswer, failed, succeeded } from '../../engine.ts'
import { metricName } from './labels.ts'
import { evaluate } from './promql/evaluate.ts'
import { parseExpression } from './promql/parse.ts'
import { EvaluationFailed, ExpressionRefused } from './promql/refused.ts'
import { type Expression, type Selector, selectorsOf } from './promql/tree.ts'
import type { SeriesStore } from './series.ts'

type QueryData = PrometheusQuery['data']

export function queryAnswer(store: SeriesStore, parameters: URLSearchParams, nowMs: number): ApiAnswer {
  const atMs = timeOf(parameters.get('time'), nowMs)
  if (atMs === undefined) {
    const said = JSON.stringify(parameters.get('time'))
    return failed(
      400,
      'bad_data',
      `invalid parameter "time": Invalid time value for 'time': cannot parse ${said} to a valid timestamp`,
    )
  }
  const limit = parameters.get('timeout')
  if (limit && !isDuration(limit)) {
    const said = JSON.stringify(limit)
    return failed(400, 'bad_data', `invalid parameter "timeout": cannot parse ${said} to a valid duration`)
  }
  try {
    const expression = parseExpression(parameters.get('query') ?? '')
    return succeeded(dataOf(expression, store, atMs), warningsOf(expression, store))
  } catch (error) {
    if (error instanceof ExpressionRefused)
      return failed(400, 'bad_data', `invalid parameter "query": ${error.message}`)
    if (error instanceof EvaluationFailed) return failed(422, 'execution', error.message)
    throw error
  }
}

/** Unix seconds or RFC 3339; now, if nothing is said. */
function timeOf(text: string | null, nowMs: number): number | undefined {
  if (text === null || text === '') return nowMs
  const ms = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text)
  const isDate = /^-?\d/.test(text) && Math.abs(ms) < 8.64e15
  return isDate ? Math.round(ms) : undefined
}

/** Seconds, or as in a rule: nothing here takes long enough to be ended by it. */
const isDuration = (text: string): boolean =>
  /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) || prometheusDuration.safeParse(text).success

function dataOf(expression: Expression, store: SeriesStore, atMs: number): QueryData {
  const at = atMs / 1000
  if (expression.type === 'range') return matrixOf(expression as Selector, store, atMs)
  const value = evaluate(expression, { store, atMs })
  if (typeof value === 'number') return { resultType: 'scalar', result: [at, textOf(value)] }
  return {
    resultType: 'vector',
    result: value.map(({ labels, value }) => ({ metric: labels.record(), value: [at, textOf(value)] })),
  }
}

function matrixOf(selector: Selector, store: SeriesStore, atMs: number): QueryData {
  const toMs = atMs - selector.offsetMs
  const result = store.select(selector).flatMap(({ labels, samples }) => {
    const window = { times: new Float64Array(), values: new Float64Array(), from: 0, to: 0 }
    const { times, values, from, to } = samples.window(toMs - selector.rangeMs, toMs, window)
    if (to <= from) return []
    const pairs = Array.from({ length: to - from }, (_, nth): [number, string] => [
      times[from + nth]! / 1000,
      textOf(values[from + nth]!),
    ])
    return [{ metric: labels.record(), values: pairs }]
  })
  return { resultType: 'matrix', result }
}

/** Nothing may mean that there is none, or that none is kept: whoever asks is told which. */
function warningsOf(expression: Expression, store: SeriesStore): { warnings?: string[] } {
  const names = selectorsOf(expression).flatMap(({ matchers }) =>
    matchers.flatMap(({ label, operator, value }) =>
      label === metricName && operator === '=' ? [value] : [],
    ),
  )
  const warnings = [...new Set(names)]
    .filter(name => !store.isAsked(name))
    .map(
      name =>
        `${name} is not kept: the embedded engine keeps the series that some rule names. Use the Prometheus engine to keep all`,
    )
  return warnings.length > 0 ? { warnings } : {}
}

/** As Go writes it: an exponent has two digits at least. */
export function textOf(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  return Object.is(value, -0) ? '-0' : String(value).replace(/e([+-])(\d)$/, 'e$10$2')
}
