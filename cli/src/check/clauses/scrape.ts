/** One look at /metrics, for the clauses that need its text to be in order. */
import { PageError, type Series } from '@quarterdeck/metrics-text'
import { breach, type Clause, type Finding, holds, notChecked } from '../clause.ts'
import type { Answer, Probe } from '../probe.ts'
import { type Exposition, parseText } from '../text-format/parse.ts'

export const path = '/metrics'

/** A clause that holds or not by the first scrape, where that can be read. */
export const readable = (
  id: string,
  title: string,
  judge: (metrics: Exposition, probe: Probe) => Finding | Promise<Finding>,
): Clause => ({
  id,
  title,
  async check(probe) {
    const answer = await probe.first(path)
    const metrics = answer.status === 200 ? read(answer) : undefined
    if (metrics instanceof Map) return judge(metrics, probe)
    return notChecked(answer.status === 404 ? 'not offered' : 'the text of /metrics cannot be read')
  },
})

/** Scrapes anew. Undefined where the text cannot be read, which is a breach of another clause. */
export async function scrape(probe: Probe): Promise<Exposition | undefined> {
  const metrics = read(await probe.ask(path))
  return metrics instanceof PageError ? undefined : metrics
}

export function judgeText(answer: Answer): Finding {
  const metrics = read(answer)
  return metrics instanceof PageError
    ? breach(
        metrics.message,
        'Write the text as the format demands, or let a client library write it; promtool check metrics shows it too.',
      )
    : holds(`${metrics.size} metrics`)
}

function read({ body }: Answer): Exposition | PageError {
  try {
    return parseText(body)
  } catch (error) {
    if (error instanceof PageError) return error
    throw error
  }
}

/** The sum of the samples that fit. */
export const total = (
  metrics: Exposition | undefined,
  family: string,
  fits: (series: Series) => boolean,
): number =>
  (metrics?.get(family)?.samples ?? [])
    .filter(({ series }) => fits(series))
    .reduce((sum, { value }) => sum + value, 0)
