/** One sample line of text format 0.0.4, or of OpenMetrics: `name{label="value"} number timestamp`. */

export interface Sample {
  name: string
  labels: ReadonlyMap<string, string>
  value: number
}

const metricName = /[a-zA-Z_:][a-zA-Z0-9_:]*/y
const labelName = /[a-zA-Z_][a-zA-Z0-9_]*/y
const labelValue = /"((?:[^"\\\n]|\\[\\"n])*)"/y
const blanks = /[ \t]*/y
const number = /^[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|inf|nan)$/i
const timestamp = /^-?\d+$/

/** Throws a sentence without its place: the caller knows the line. */
export function parseSample(line: string): Sample {
  const cursor = new Cursor(line)
  const name = cursor.take(metricName, 'a metric name')
  cursor.skip(blanks)
  const labels = cursor.at('{') ? parseLabels(cursor) : new Map<string, string>()
  const [value = '', time, ...more] = cursor.rest().split(/[ \t]+/)
  if (!number.test(value)) throw new Error(`${JSON.stringify(value)} is not a number`)
  if (time !== undefined && !timestamp.test(time))
    throw new Error(`${JSON.stringify(time)} is not a timestamp`)
  if (more.length > 0) throw new Error(`something follows the timestamp: ${JSON.stringify(more.join(' '))}`)
  return { name, labels, value: numberOf(value) }
}

/** The same for one series, whatever the order of its labels. */
export const seriesOf = ({ name, labels }: Omit<Sample, 'value'>): string =>
  `${name}${JSON.stringify([...labels].sort(([a], [b]) => (a < b ? -1 : 1)))}`

export function numberOf(text: string): number {
  const infinite = text.match(/^([+-]?)inf$/i)
  return infinite ? (infinite[1] === '-' ? -Infinity : Infinity) : Number(text)
}

function parseLabels(cursor: Cursor): Map<string, string> {
  const labels = new Map<string, string>()
  cursor.expect('{')
  while (!cursor.at('}')) {
    const name = cursor.take(labelName, 'a label name')
    if (labels.has(name)) throw new Error(`the label ${name} is there twice`)
    cursor.expect('=')
    labels.set(
      name,
      unescaped(cursor.take(labelValue, 'a quoted label value with the escapes \\\\, \\" and \\n')),
    )
    if (!cursor.at('}')) cursor.expect(',')
  }
  cursor.expect('}')
  return labels
}

const unescaped = (text: string) =>
  text.slice(1, -1).replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character))

class Cursor {
  readonly #line: string
  #place = 0

  constructor(line: string) {
    this.#line = line
  }

  at = (character: string): boolean => this.#line[this.#place] === character

  expect(character: string): void {
    if (!this.at(character))
      throw new Error(`${JSON.stringify(character)} is missing at column ${this.#place + 1}`)
    this.#place++
    this.skip(blanks)
  }

  take(pattern: RegExp, what: string): string {
    pattern.lastIndex = this.#place
    const found = pattern.exec(this.#line)?.[0]
    if (found === undefined) throw new Error(`${what} is expected at column ${this.#place + 1}`)
    this.#place += found.length
    this.skip(blanks)
    return found
  }

  skip(pattern: RegExp): void {
    pattern.lastIndex = this.#place
    this.#place += pattern.exec(this.#line)?.[0].length ?? 0
  }

  /** What is left, without blanks around it. */
  rest = (): string => this.#line.slice(this.#place).replace(/[ \t]+$/, '')
}
