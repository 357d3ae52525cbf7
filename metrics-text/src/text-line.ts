/**
 * A line of text format 0.0.4, as it is documented: blanks are free, also at the start of a line. What Prometheus takes beyond
 * that (labels without a comma between them, line feeds in their values, `a-5`, HELP of nothing) is refused.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
import type { KnownMetadata } from './known-lines.ts'
import { passBlanks, passLabels } from './labels.ts'
import { numberBetween } from './number.ts'
import type { MetricType, Sample } from './page.ts'
import { Misread, quoted } from './page-error.ts'
import { type Around, nameEndOf, seriesBetween } from './sample-line.ts'

const types: ReadonlySet<string> = new Set<MetricType>([
  'counter',
  'gauge',
  'histogram',
  'summary',
  'untyped',
])

const open = 123
const hash = 35
const space = 32
const tab = 9

export function readTextSample(
  text: string,
  lineStart: number,
  end: number,
  around: Around,
): Sample | undefined {
  const start = passBlanks(text, lineStart)
  if (start >= end || text.charCodeAt(start) === hash) return undefined
  const nameEnd = nameEndOf(text, start)
  const labelsStart = passBlanks(text, nameEnd)
  const hasLabels = text.charCodeAt(labelsStart) === open
  const seriesEnd = hasLabels ? passLabels(text, labelsStart, end, false, around.limits) : nameEnd
  const valueStart = passBlanks(text, seriesEnd)
  if (!hasLabels && valueStart === nameEnd && valueStart < end)
    throw new Misread(`${quoted(text[nameEnd]!)} cannot be in a metric name`, nameEnd)
  const valueEnd = passWord(text, valueStart, end)
  const value = numberBetween(text, valueStart, valueEnd)
  if (value === undefined)
    throw new Misread(`${quoted(text.slice(valueStart, valueEnd))} is not a number`, valueStart)
  return {
    line: around.line,
    series: seriesBetween(text, start, nameEnd, seriesEnd, around),
    value,
    timestampMs: readTimestamp(text, passBlanks(text, valueEnd), end),
    exemplar: undefined,
  }
}

function readTimestamp(text: string, start: number, end: number): number | undefined {
  if (start >= end) return undefined
  const wordEnd = passWord(text, start, end)
  const word = text.slice(start, wordEnd)
  if (!/^[+-]?\d{1,19}$/.test(word)) throw new Misread(`${quoted(word)} is not a timestamp`, start)
  const rest = passBlanks(text, wordEnd)
  if (rest < end) throw new Misread(`something follows the timestamp: ${quoted(text.slice(rest, end))}`, rest)
  return Number(word)
}

/** Undefined for a remark. */
export function readTextMetadata(text: string, start: number, end: number): KnownMetadata | undefined {
  const at = passBlanks(text, start + 1)
  const keyword = text.slice(at, at + 4)
  if (at === start + 1 || (keyword !== 'HELP' && keyword !== 'TYPE')) return undefined
  const nameStart = passBlanks(text, at + 4)
  if (nameStart === at + 4 && nameStart < end) return undefined
  if (nameStart >= end) throw new Misread(`${keyword} names no metric`, nameStart)
  const nameEnd = nameEndOf(text, nameStart)
  if (nameEnd < end && !isBlank(text.charCodeAt(nameEnd)))
    throw new Misread(`${quoted(text[nameEnd]!)} cannot be in a metric name`, nameEnd)
  const name = text.slice(nameStart, nameEnd)
  if (keyword === 'HELP') return { keyword, name, text: text.slice(Math.min(nameEnd + 1, end), end) }
  return { keyword, name, text: readType(text, passBlanks(text, nameEnd), end) }
}

function readType(text: string, start: number, end: number): string {
  const wordEnd = passWord(text, start, end)
  const type = text.slice(start, wordEnd)
  if (!types.has(type) || passBlanks(text, wordEnd) < end)
    throw new Misread(`TYPE must name a metric and one of ${[...types].join(', ')}`, start)
  return type
}

function passWord(text: string, start: number, end: number): number {
  let at = start
  while (at < end && !isBlank(text.charCodeAt(at))) at++
  return at
}

const isBlank = (code: number): boolean => code === space || code === tab
