/** OpenMetrics 1.0 for whoever prefers it, and the plain text undisturbed by it. */
import { PageError, readPage } from '@quarterdeck/metrics-text'
import { breach, type Clause, type Finding, holds } from '../clause.ts'
import type { Answer, Probe } from '../probe.ts'
import { quoted } from '../quoted.ts'
import { judgeText, path, readable } from './scrape.ts'

const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
const accept = 'application/openmetrics-text;version=1.0.0'
const acceptRather = `text/plain;version=0.0.4;q=0.9,${accept};q=0.1`

export const openMetricsClauses: readonly Clause[] = [
  readable('openmetrics.type', 'OpenMetrics comes where Accept prefers it', async (_, probe) => {
    const type = typeOf(await askOpenMetrics(probe))
    if (type !== openMetricsType) {
      return breach(
        quoted(type),
        `Answer Accept: ${accept} with Content-Type: ${openMetricsType}, in that format.`,
      )
    }
    const rather = typeOf(await probe.ask(path, { accept: acceptRather }))
    return rather.startsWith('text/plain')
      ? holds(type)
      : breach(
          `it comes also where Accept ranks text/plain higher`,
          'Compare the q of text/plain and OpenMetrics in Accept, and send the one that is preferred.',
        )
  }),
  readable('openmetrics.text', 'the text of OpenMetrics is in order', async (_, probe) => {
    const answer = await askOpenMetrics(probe)
    const problem = isOpenMetrics(answer) ? openMetricsProblem(answer.body) : undefined
    if (problem) {
      return breach(
        problem,
        'Mend that line. OpenMetrics ends with # EOF, names counters without _total in HELP and TYPE and with it in samples, and leaves no line empty.',
      )
    }
    return isOpenMetrics(answer) ? holds('it ends with # EOF') : notOpenMetrics
  }),
  readable('openmetrics.plain-after', 'the plain text is the same after OpenMetrics', async (_, probe) => {
    const before = metadataOf(await probe.first(path))
    await askOpenMetrics(probe)
    const again = await probe.ask(path)
    const now = new Set(metadataOf(again))
    const lost = before.find(line => !now.has(line))
    const remedy =
      'Derive OpenMetrics from the plain text: some client libraries change their registry when asked for it.'
    if (lost !== undefined) return breach(`the line ${quoted(lost)} is gone`, remedy)
    const finding = judgeText(again)
    return finding.ok ? holds(`the same ${before.length} lines of HELP and TYPE`) : { ...finding, remedy }
  }),
]

const notOpenMetrics: Finding = { ok: null, found: 'there is no OpenMetrics', remedy: null }

const askOpenMetrics = (probe: Probe): Promise<Answer> => probe.ask(path, { accept })

/** A sentence on the first thing that is wrong. */
export function openMetricsProblem(text: Buffer): string | undefined {
  try {
    readPage(text, { format: 'openmetrics' })
    return undefined
  } catch (error) {
    if (error instanceof PageError) return error.message
    throw error
  }
}

const typeOf = ({ headers }: Answer): string => headers['content-type'] ?? ''

const isOpenMetrics = (answer: Answer) => typeOf(answer).startsWith('application/openmetrics-text')

const metadataOf = ({ body }: Answer): string[] =>
  body
    .toString()
    .split('\n')
    .filter(line => /^# (HELP|TYPE) /.test(line))
