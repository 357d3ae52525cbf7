/** The grammar of `{name="value",…}`, walked over without making anything of it. */
import type { Limits } from './limits.ts'
import { passLabelName } from './names.ts'
import { Misread, quoted } from './page-error.ts'

const quote = 34
const comma = 44
const equals = 61
const backslash = 92
const underscore = 95
const open = 123
const close = 125
const space = 32
const tab = 9

/**
 * Where the labels passed last are: start and end of each one's name, start and end of its value. Used at once or never;
 * one array for all lines, because a new one for each takes longer than the rest.
 */
export const places: number[] = []
/** How many of the places are used. */
export let placeCount = 0
/** A bit for the names passed so far, by their length and two of their characters: only names with the same bit are compared. */
let marks = 0

/**
 * Walks over the labels whose `{` is at `at`, within the line that ends at `end`; where they end. `exact` is OpenMetrics:
 * no blanks, and no comma after the last.
 */
export function passLabels(text: string, at: number, end: number, exact: boolean, limits: Limits): number {
  placeCount = 0
  marks = 0
  let place = expect(text, at, open, exact)
  if (text.charCodeAt(place) === close) return place + 1
  for (;;) {
    place = passLabel(text, place, end, exact, limits)
    if (text.charCodeAt(place) === close) return place + 1
    place = expect(text, place, comma, exact)
    if (!exact && text.charCodeAt(place) === close) return place + 1
  }
}

function passLabel(text: string, start: number, end: number, exact: boolean, limits: Limits): number {
  const nameEnd = passLabelName(text, start)
  if (nameEnd === start)
    throw new Misread(`a label name is expected at column ${columnOf(text, start)}`, start)
  const between = exact ? nameEnd : passBlanks(text, nameEnd)
  const before = expect(text, between, equals, exact)
  if (text.charCodeAt(before) !== quote)
    throw new Misread(`a quoted label value is expected at column ${columnOf(text, before)}`, before)
  const valueEnd = passValue(text, before + 1, end)
  checkLimits(text, start, nameEnd, valueEnd - before - 1, limits)
  checkName(text, start, nameEnd)
  places[placeCount++] = start
  places[placeCount++] = nameEnd
  places[placeCount++] = before + 1
  places[placeCount++] = valueEnd
  return exact ? valueEnd + 1 : passBlanks(text, valueEnd + 1)
}

/** The first quotation mark is the end, unless a backslash comes before it: then every backslash takes the next character along. */
function passValue(text: string, start: number, end: number): number {
  const close = text.indexOf('"', start)
  if (close >= 0 && close < end && text.charCodeAt(close - 1) !== backslash) return close
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) return at
    if (code === backslash) at++
  }
  throw new Misread(`the quoted label value at column ${columnOf(text, start - 1)} has no end`, start - 1)
}

function checkLimits(text: string, start: number, nameEnd: number, length: number, limits: Limits): void {
  if (nameEnd - start > limits.labelLength || length > limits.labelLength) {
    const name = quoted(text.slice(start, nameEnd))
    throw new Misread(`the label ${name} is longer than ${limits.labelLength} characters`, start)
  }
  if (placeCount >= limits.labels * 4) throw new Misread(`there are more than ${limits.labels} labels`, start)
}

function checkName(text: string, start: number, nameEnd: number): void {
  const first = text.charCodeAt(start)
  const mark = 1 << (first + 3 * text.charCodeAt(nameEnd - 1) + 7 * (nameEnd - start))
  if ((marks & mark) !== 0) refuseTwice(text, start, nameEnd - start)
  marks |= mark
  // Prometheus keeps the name of a metric as the label of this name.
  if (first === underscore && nameEnd - start === 8 && text.startsWith('__name__', start))
    throw new Misread('the label __name__ is the name of the metric', start)
}

function refuseTwice(text: string, start: number, length: number): void {
  for (let i = 0; i < placeCount; i += 4) {
    if (places[i + 1]! - places[i]! === length && isSame(text, places[i]!, start, length)) {
      const name = quoted(text.slice(start, start + length)).slice(1, -1)
      throw new Misread(`the label ${name} is there twice`, start)
    }
  }
}

function isSame(text: string, one: number, other: number, length: number): boolean {
  for (let i = 0; i < length; i++) {
    if (text.charCodeAt(one + i) !== text.charCodeAt(other + i)) return false
  }
  return true
}

function expect(text: string, at: number, code: number, exact: boolean): number {
  if (text.charCodeAt(at) !== code)
    throw new Misread(`"${String.fromCharCode(code)}" is missing at column ${columnOf(text, at)}`, at)
  return exact ? at + 1 : passBlanks(text, at + 1)
}

export function passBlanks(text: string, start: number): number {
  let at = start
  let code = text.charCodeAt(at)
  while (code === space || code === tab) code = text.charCodeAt(++at)
  return at
}

/** From 1. */
export const columnOf = (text: string, at: number): number =>
  at - (at > 0 ? text.lastIndexOf('\n', at - 1) : -1)
