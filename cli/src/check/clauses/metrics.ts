/** /metrics: its form, and the series that every service has. */
import { breach, type Clause, type Finding, holds, notChecked } from '../clause.ts'
import { quoted } from '../quoted.ts'
import { lint } from '../text-format/lint.ts'
import type { Exposition, Family } from '../text-format/parse.ts'
import { unseen, wrongStatus } from './json-endpoint.ts'
import { judgeText, path, readable } from './scrape.ts'

const textType = 'text/plain; version=0.0.4; charset=utf-8'

export const metricsClauses = (demanded: boolean): Clause[] => [
  {
    id: 'metrics.status',
    title: '/metrics answers 200',
    async check(probe) {
      const answer = await probe.first(path)
      if (answer.status === 200) return holds('200')
      return answer.status === 404 && !demanded
        ? notChecked('not offered')
        : wrongStatus(answer, 'Answer GET /metrics with 200 and the metrics as text.')
    },
  },
  {
    id: 'metrics.type',
    title: '/metrics is text by its Content-Type',
    async check(probe) {
      const answer = await probe.first(path)
      if (answer.status !== 200) return notOffered(answer.status) ?? unseen(answer)
      const type = answer.headers['content-type'] ?? ''
      return type === textType ? holds(type) : breach(quoted(type), `Send Content-Type: ${textType}.`)
    },
  },
  {
    id: 'metrics.text',
    title: 'the text of /metrics is in order',
    async check(probe) {
      const answer = await probe.first(path)
      return answer.status === 200 ? judgeText(answer) : (notOffered(answer.status) ?? unseen(answer))
    },
  },
  readable('metrics.lint', 'promtool check metrics would not object', metrics => {
    const [objection, ...more] = lint(metrics)
    if (!objection) return holds('names and help texts follow the rules')
    return breach(
      `${objection}${more.length > 0 ? ` (and ${more.length} more)` : ''}`,
      'Rename the metric, or give it the help text it lacks.',
    )
  }),
  readable('metrics.requests', 'http_requests_total counts by method and endpoint', metrics =>
    judgeSeries(metrics, {
      name: 'http_requests_total',
      kind: 'counter',
      help: 'Total HTTP requests',
      labels: ['endpoint', 'method'],
    }),
  ),
  readable('metrics.latency', 'http_request_duration_seconds is a histogram without labels', metrics =>
    judgeSeries(metrics, {
      name: 'http_request_duration_seconds',
      kind: 'histogram',
      help: 'Request latency',
      labels: [],
    }),
  ),
  readable('metrics.process', 'process_resident_memory_bytes is there', metrics => {
    const bytes = metrics.get('process_resident_memory_bytes')?.samples[0]?.value
    return bytes !== undefined && bytes > 0
      ? holds(`${Math.round(bytes / 1e6)} MB`)
      : breach(
          bytes === undefined ? 'it is missing' : `it is ${bytes}`,
          'Add the process metrics of the client library, or a gauge of this name with the resident memory.',
        )
  }),
]

const notOffered = (status: number): Finding | undefined =>
  status === 404 ? notChecked('not offered') : undefined

interface Series extends Pick<Family, 'name' | 'kind'> {
  help: string
  labels: readonly string[]
}

function judgeSeries(metrics: Exposition, { name, kind, help, labels }: Series): Finding {
  const family = metrics.get(name)
  const made = labels.length > 0 ? `with the labels ${labels.join(' and ')}` : 'without labels'
  const remedy = `Make ${name} a ${kind} ${made}, with the help text “${help}”.`
  if (!family) return breach('it is missing', remedy)
  if (family.kind !== kind) return breach(`it is a ${family.kind}`, remedy)
  if (family.help !== help) return breach(`its help text is ${quoted(family.help ?? '')}`, remedy)
  const other = family.samples.map(labelsOf).find(found => found !== labels.join(', '))
  if (other !== undefined)
    return breach(`it has ${other ? `the labels ${quoted(other)}` : 'no labels'}`, remedy)
  return holds(`${kind}, “${help}”`)
}

/** The bound of a bucket aside. */
const labelsOf = ({ series: { name, labels } }: Family['samples'][number]): string =>
  [...labels.keys()]
    .filter(label => !(name.endsWith('_bucket') && label === 'le'))
    .sort()
    .join(', ')
