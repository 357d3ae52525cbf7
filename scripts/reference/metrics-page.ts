/** The series that every service with the kit tells, from a kit. */
import { Kit } from '../../kit/src/index.ts'
import { code, page, table } from './made-markdown.ts'

const contracted = ['http_requests_total', 'http_request_duration_seconds', 'process_resident_memory_bytes']

export async function metricsPage(): Promise<string> {
  const { body } = await new Kit({ name: 'reference' }).metricsText(undefined)
  const series = [...body.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(
    ([, name = '', help = '', kind = '']) => ({ name, help, kind }),
  )
  const row = ({ name, help, kind }: (typeof series)[number]) => [
    code(name),
    kind,
    name === 'http_requests_total' ? '`method`, `endpoint`' : '',
    help,
  ]
  const head = ['series', 'kind', 'labels', 'help']
  const known = series.filter(({ name }) => contracted.includes(name))
  const others = series
    .filter(({ name }) => !contracted.includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return page(
    {
      title: 'Metrics',
      description: 'The series that a service tells at /metrics, made from the kit.',
      order: 40,
    },
    `Every host of the environment, the edge and every service with a kit answers \`/metrics\` in the text format of Prometheus, or as OpenMetrics 1.0 where \`Accept\` prefers it. \`endpoint\` is the template of a route, and one constant value for whatever is not matched.

## What the contract asks for

${table(head, known.map(row))}

A metrics server adds \`up\` for each job: 0 when the target is down, which the alert \`ServiceDown\` is made from.

## What the kit for Node tells beside

${table(head, others.map(row))}`,
  )
}
