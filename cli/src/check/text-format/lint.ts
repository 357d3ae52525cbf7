/** What `promtool check metrics` objects to in a text that can be read: the rules that people run into. */
import type { Exposition, Family } from './parse.ts'

export const lint = (metrics: Exposition): string[] => [...metrics.values()].flatMap(objections)

function objections({ name, kind, help, samples }: Family): string[] {
  const labels = new Set(samples.flatMap(({ series }) => [...series.labels.keys()]))
  const rules: [boolean, string][] = [
    [!help, 'it has no help text'],
    [kind === 'counter' && !name.endsWith('_total'), 'a counter’s name ends in _total'],
    [
      kind !== 'counter' && kind !== 'untyped' && name.endsWith('_total'),
      'only a counter’s name ends in _total',
    ],
    [!composite(kind) && /_(count|sum|bucket)$/.test(name), '_count, _sum and _bucket are for histograms'],
    [kind !== 'histogram' && labels.has('le'), 'the label le is for histograms'],
    [kind !== 'summary' && labels.has('quantile'), 'the label quantile is for summaries'],
    [name.includes(':'), 'colons are for recording rules'],
    [/[a-z][A-Z]/.test(name), 'names are written with_underscores, not in camelCase'],
  ]
  return rules.filter(([broken]) => broken).map(([, objection]) => `${name}: ${objection}`)
}

const composite = (kind: Family['kind']) => kind === 'histogram' || kind === 'summary'
