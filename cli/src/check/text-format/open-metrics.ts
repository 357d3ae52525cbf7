/** What sets OpenMetrics 1.0 apart from the plain text. https://prometheus.io/docs/specs/om/open_metrics_spec/ */
import { parseSample } from './sample.ts'

const metadata = /^# (?:HELP|TYPE|UNIT) ([a-zA-Z_:][a-zA-Z0-9_:]*)(?: (.*))?$/

/** A sentence on the first thing that is wrong. */
export function openMetricsProblem(text: string): string | undefined {
  if (!text.endsWith('# EOF\n') && !text.endsWith('# EOF')) return 'the last line is not # EOF'
  const lines = text.replace(/\n$/, '').split('\n').slice(0, -1)
  const counters = new Set(lines.flatMap(line => line.match(/^# TYPE (\S+) counter$/)?.[1] ?? []))
  for (const [i, line] of lines.entries()) {
    const problem = line.startsWith('#') ? metadataProblem(line, counters) : sampleProblem(line, counters)
    if (problem) return `line ${i + 1}: ${problem}`
  }
  return undefined
}

function metadataProblem(line: string, counters: ReadonlySet<string>): string | undefined {
  if (line === '# EOF') return '# EOF is not at the end'
  const name = line.match(metadata)?.[1]
  if (name === undefined) return 'it is neither HELP, TYPE nor UNIT'
  return counters.has(name) && name.endsWith('_total')
    ? `the counter ${name} is named with _total in its metadata`
    : undefined
}

function sampleProblem(line: string, counters: ReadonlySet<string>): string | undefined {
  if (line === '') return 'it is empty'
  try {
    // An exemplar may follow the value; timestamps are seconds with a fraction.
    const { name } = parseSample(line.replace(/ # \{.*$/, '').replace(/(\s-?\d+)\.\d+$/, '$1'))
    return counters.has(name) ? `the sample of the counter ${name} does not end in _total` : undefined
  } catch (error) {
    return (error as Error).message
  }
}
