/** A report for people: a line per clause, the way out under each breach, a verdict. */
import { colours } from '../colours.ts'
import { answered, type CheckedClause, type Report } from './index.ts'

/** By the first word of a clause's id. */
const headings: Record<string, string> = {
  reach: 'Reach',
  health: 'Health',
  readiness: 'Readiness',
  version: 'Version',
  errors: 'Errors',
  metrics: 'Metrics',
  openmetrics: 'OpenMetrics',
}

export function reportText(report: Report): string {
  const { bold } = colours(process.stdout)
  const width = Math.max(...report.clauses.map(({ title }) => title.length))
  const groups = Object.entries(Object.groupBy(report.clauses, groupOf))
  const lines = groups.flatMap(([group, clauses = []]) => [
    bold(headings[group] ?? group),
    ...(emptyOf(clauses) ?? clauses).flatMap(clause => linesOf(clause, width)),
  ])
  return `${lines.join('\n')}\n\n${verdict(report)}\n`
}

const groupOf = ({ id }: CheckedClause): string => id.split('.', 1)[0]!

/** One line for a group of which nothing was checked, for one reason. */
function emptyOf(clauses: readonly CheckedClause[]): CheckedClause[] | undefined {
  const [first] = clauses
  return first && clauses.every(({ ok, found }) => ok === null && found === first.found)
    ? [{ ...first, title: first.found, found: '' }]
    : undefined
}

function linesOf({ title, ok, found, remedy }: CheckedClause, width: number): string[] {
  const { dim, green, red, yellow } = colours(process.stdout)
  const mark = ok === null ? yellow('–') : ok ? green('✓') : red('✗')
  const indent = ' '.repeat(width + 4)
  return [
    `  ${mark} ${title.padEnd(width)}  ${ok === null ? dim(found) : found}`.trimEnd(),
    ...(remedy ? [`${indent}  ${dim(`→ ${remedy}`)}`] : []),
  ]
}

function verdict(report: Report): string {
  const { green, red } = colours(process.stdout)
  if (!answered(report)) return red(`${report.url} does not answer.`)
  const breaches = report.clauses.filter(({ ok }) => ok === false).length
  const unchecked = report.clauses.filter(({ ok }) => ok === null).length
  const rest = unchecked > 0 ? ` ${unchecked} ${unchecked === 1 ? 'was' : 'were'} not checked (–).` : ''
  if (breaches === 0) return `${green(`${report.url} keeps the contract.`)}${rest}`
  return `${red(`${breaches} ${breaches === 1 ? 'clause is' : 'clauses are'} breached: see ✗.`)}${rest}`
}
