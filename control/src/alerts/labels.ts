/** Label sets: what an alert is known by, how it is grouped, and how much of a hostile one is kept. */
import { hash } from 'node:crypto'
import { type Severity, severities } from '@quarterdeck/contract'

export type Labels = Readonly<Record<string, string>>

/** What is longer is cut when it is stored; the fingerprint is that of the whole. */
const longestName = 200
const longestLabel = 1024
const longestAnnotation = 4096
const mostLabels = 64

/** The same for the same labels, in whatever order. A label without a value is none. */
export function fingerprintOf(labels: Labels): string {
  let text = ''
  for (const name of Object.keys(labels).sort()) {
    const value = labels[name]!
    if (value !== '') text += `${name.length}:${name}${value.length}:${value}`
  }
  return hash('sha256', text).slice(0, 16)
}

export interface Group {
  readonly key: string
  readonly labels: Labels
}

/** Alerts with the same values of these labels belong together. */
export function groupOf(labels: Labels, by: readonly string[]): Group {
  const entries = by.flatMap(name => (labels[name] ? [[name, labels[name]]] : []))
  const common = Object.fromEntries(entries) as Labels
  return { key: `${by.join(',')}/${fingerprintOf(common)}`, labels: common }
}

export const keptLabels = (labels: Labels): Labels => kept(labels, longestLabel)
export const keptAnnotations = (annotations: Labels = {}): Labels => kept(annotations, longestAnnotation)

/** Those that say what it is come first, so that they are never among what is left out. */
function kept(labels: Labels, longest: number): Labels {
  const names = Object.keys(labels)
  const chosen = names.length > mostLabels ? names.toSorted(byImportance).slice(0, mostLabels) : names
  const result: Record<string, string> = {}
  for (const name of chosen) {
    const value = storable(labels[name]!, longest)
    if (value !== '') result[storable(name, longestName)] = value
  }
  return result
}

const important = new Set([
  ...['alertname', 'job', 'severity', 'instance', 'service', 'project', 'reason'],
  ...['summary', 'description', 'runbook_url'],
])

const byImportance = (a: string, b: string) =>
  Number(important.has(b)) - Number(important.has(a)) || (a < b ? -1 : 1)

/** Databases take neither NUL nor half of a character. */
function storable(text: string, longest: number): string {
  const short = text.length > longest ? `${text.slice(0, longest - 1)}…` : text
  return short.isWellFormed() && !short.includes('\0') ? short : short.toWellFormed().replaceAll('\0', '')
}

/** What is named otherwise is a warning: nobody should miss it, nobody be woken by it. */
export function severityOf({ severity = '' }: Labels): Severity {
  const word = severity.toLowerCase()
  if (word === 'critical' || word === 'page') return 'critical'
  return word === 'info' || word === 'none' ? 'info' : 'warning'
}

/** 0 is the worst. */
export const rankOfSeverity = (severity: Severity): number => severities.indexOf(severity)
export const severityOfRank = (rank: number): Severity => severities[rank] ?? 'info'

/** The service that it is about: services are the jobs of Prometheus. */
export function serviceOf({ job, service, project }: Labels): string | null {
  const named = job ?? service ?? project ?? ''
  return /^[a-z][a-z0-9-]{0,62}$/.test(named) ? named : null
}
