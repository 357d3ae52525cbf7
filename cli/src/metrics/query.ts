/** `qd query`: the value of an expression, now or at a time. */
import { type PrometheusQuery, prometheusQueryDocument } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'
import { askMetrics } from './ask-metrics.ts'

export const queryCommand = (): Command =>
  apiCommand('query', 'evaluate an expression of the metrics server')
    .argument('<expression>', 'in PromQL, such as `up == 0`')
    .option('--time <time>', 'at that time: RFC 3339, or seconds since 1970')
    .action(query)

async function query(
  expression: string,
  { time, ...options }: ApiOptions & { time?: string },
): Promise<void> {
  const answer = await askMetrics(
    options,
    '/api/v1/query',
    { query: expression, time },
    prometheusQueryDocument,
  )
  if (options.json) {
    printJson(answer.data)
    return
  }
  const lines = linesOf(sorted(answer.data))
  process.stdout.write(lines.length > 0 ? `${lines.map(plain).join('\n')}\n` : 'Nothing.\n')
  for (const warning of answer.warnings ?? []) process.stderr.write(`${plain(warning)}.\n`)
}

/** By their names: the server promises no order. */
const sorted = (data: PrometheusQuery['data']): PrometheusQuery['data'] =>
  data.resultType === 'vector' || data.resultType === 'matrix'
    ? ({
        ...data,
        result: [...data.result].sort((a, b) => (nameOf(a.metric) < nameOf(b.metric) ? -1 : 1)),
      } as typeof data)
    : data

function linesOf(data: PrometheusQuery['data']): string[] {
  if (data.resultType === 'vector')
    return data.result.map(({ metric, value }) => `${nameOf(metric)}  ${value[1]}`)
  if (data.resultType === 'matrix')
    return data.result.flatMap(({ metric, values }) => [
      nameOf(metric),
      ...values.map(([at, value]) => `  ${new Date(at * 1000).toISOString()}  ${value}`),
    ])
  return [data.result[1]]
}

function nameOf({ __name__ = '', ...labels }: Readonly<Record<string, string>>): string {
  const written = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return written.length > 0 ? `${__name__}{${written.join(', ')}}` : __name__ || '{}'
}
