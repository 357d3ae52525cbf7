/**
 * A line of OpenMetrics 1.0, by the grammar of the standard: one blank where it has one, and none elsewhere.
 * https://prometheus.io/docs/specs/om/open_metrics_spec/#abnf
 */
import type { KnownMetadata } from '../known-lines.ts'
import { columnOf, passLabels } from '../labels.ts'
import { numberBetween } from '../number.ts'
import type { Exemplar, MetricType, Sample } from '../page.ts'
import { Misread, quoted } from '../page-error.ts'
import { type Around, nameEndOf, seriesBetween } from '../sample-line.ts'
import { labelsAt } from '../series.ts'

const endLine = '# EOF'
const types: ReadonlySet<string> = new Set<MetricType>([
  'counter',
  'gauge',
  'histogram',
  'gaugehistogram',
  'stateset',
  'info',
  'summary',
  'unknown',
])

const space = 32
const hash = 35
const open = 123
const carriageReturn = 13

/** Where the line that ends the page begins; undefined without one. */
export function endOfPage(text: string): number | undefined {
  const end = text.endsWith('\n') ? text.length - 1 : text.length
  const start = end - endLine.length
  return text.endsWith(endLine, end) && (start === 0 || text[start - 1] === '\n') ? start : undefined
}

export function readOpenSample(text: string, start: number, end: number, around: Around): Sample {
  if (start === end) throw new Misread('it is empty')
  const nameEnd = nameEndOf(text, start)
  const seriesEnd =
    text.charCodeAt(nameEnd) === open ? passLabels(text, nameEnd, end, true, around.limits) : nameEnd
  const [value, valueEnd] = readNumber(text, seriesEnd, end)
  const hasTimestamp = valueEnd < end && text.charCodeAt(valueEnd + 1) !== hash
  const timestampEnd = hasTimestamp ? wordEnd(text, valueEnd + 1, end) : valueEnd
  return {
    line: around.line,
    series: seriesBetween(text, start, nameEnd, seriesEnd, around),
    value,
    timestampMs: hasTimestamp ? readTimestamp(text, valueEnd + 1, timestampEnd) : undefined,
    exemplar: timestampEnd < end ? readExemplar(text, timestampEnd, end, around) : undefined,
  }
}

function readExemplar(text: string, start: number, end: number, { limits }: Around): Exemplar {
  if (!text.startsWith(' # {', start))
    throw new Misread(
      `a timestamp or an exemplar such as # {} 1 is expected at column ${columnOf(text, start)}`,
      start,
    )
  const labelsEnd = passLabels(text, start + 3, end, true, limits)
  const [value, valueEnd] = readNumber(text, labelsEnd, end)
  const labels = labelsAt(text, start + 3, labelsEnd)
  return {
    labels,
    value,
    timestampMs: valueEnd < end ? readTimestamp(text, valueEnd + 1, end) : undefined,
  }
}

/** After one blank; and where it ends. */
function readNumber(text: string, blank: number, end: number): [value: number, end: number] {
  if (blank < end && text.charCodeAt(blank) !== space)
    throw new Misread(`${quoted(text[blank]!)} is not expected at column ${columnOf(text, blank)}`, blank)
  const start = Math.min(blank + 1, end)
  const numberEnd = wordEnd(text, start, end)
  const value = numberBetween(text, start, numberEnd)
  if (value === undefined) throw new Misread(`${quoted(text.slice(start, numberEnd))} is not a number`, start)
  return [value, numberEnd]
}

/** In seconds, with a fraction where it has one. */
function readTimestamp(text: string, start: number, end: number): number {
  const seconds = numberBetween(text, start, end)
  if (seconds === undefined || !Number.isFinite(seconds))
    throw new Misread(`${quoted(text.slice(start, end))} is not a timestamp`, start)
  return seconds * 1000
}

function wordEnd(text: string, start: number, end: number): number {
  let at = start
  while (at < end && text.charCodeAt(at) !== space) at++
  return at
}

export function readOpenMetadata(text: string, start: number, end: number): KnownMetadata {
  const keyword = text.slice(start + 2, start + 6)
  if (end - start === endLine.length && text.startsWith(endLine, start))
    throw new Misread('# EOF is not at the end')
  if (!isKeyword(keyword) || text[start + 1] !== ' ' || text[start + 6] !== ' ')
    throw new Misread('it is neither HELP, TYPE nor UNIT')
  const nameEnd = nameEndOf(text, start + 7)
  if (text.charCodeAt(nameEnd) !== space)
    throw new Misread(`one blank is expected after the name, at column ${columnOf(text, nameEnd)}`, nameEnd)
  const said = text.slice(nameEnd + 1, end)
  check[keyword](said)
  return { keyword, name: text.slice(start + 7, nameEnd), text: said }
}

const isKeyword = (word: string): word is keyof typeof check => Object.hasOwn(check, word)

const check = {
  TYPE(said: string): void {
    if (!types.has(said)) throw new Misread(`TYPE must name a metric and one of ${[...types].join(', ')}`)
  },
  UNIT(said: string): void {
    if (!/^[a-zA-Z0-9_:]*$/.test(said)) throw new Misread(`${quoted(said)} is not a unit`)
  },
  /** A quotation mark is written as \", and a backslash does not stand at the end. */
  HELP(said: string): void {
    if (said.charCodeAt(said.length - 1) === carriageReturn)
      throw new Misread('it ends with a carriage return')
    for (let at = 0; at < said.length; at++) {
      if (said[at] === '"') throw new Misread('HELP has a quotation mark that is not written as \\"')
      if (said[at] === '\\' && ++at === said.length) throw new Misread('HELP ends with half an escape')
    }
  },
}
