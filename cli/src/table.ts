/** Lists and details that align and fit a line. */
import { colours } from './colours.ts'
import { plain } from './plain.ts'

/** Where nobody says how wide a line is. */
const usualWidth = 100
const narrowestWidth = 40
const gap = '  '

export interface Column {
  title: string
  /** Gives way when a line would be too long. */
  flexible?: true
  /** Left out when a line would be too long all the same; of several, the last first. */
  spare?: true
  /** For terminals; it is given the text with its padding. */
  paint?: (padded: string, text: string) => string
}

export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  lineWidth = widthOf(process.stdout),
): string {
  const cleaned = rows.map(row => row.map(plain))
  const widths = fitting(columns, cleaned, lineWidth)
  const left = columns.findLastIndex(({ spare }) => spare)
  if (left >= 0 && lengthOf(widths) > lineWidth)
    return table(
      columns.toSpliced(left, 1),
      rows.map(row => row.toSpliced(left, 1)),
      lineWidth,
    )
  const { dim } = colours(process.stdout)
  const head = columns.map(({ title }, index) => dim(cell(title, widths[index]!)))
  const lines = cleaned.map(row =>
    columns.map(({ paint = same }, index) => paint(cell(row[index]!, widths[index]!), row[index]!)),
  )
  return [head, ...lines].map(cells => `${cells.join(gap).trimEnd()}\n`).join('')
}

const widthOf = ({ isTTY, columns }: NodeJS.WriteStream): number =>
  isTTY && columns ? Math.max(narrowestWidth, columns) : usualWidth

const lengthOf = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width + gap.length, -gap.length)

function fitting(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  lineWidth: number,
): number[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map(row => row[index]!.length)),
  )
  // The widest of those that may gives way first, and none below what still tells something.
  for (;;) {
    const over = lengthOf(widths) - lineWidth
    const candidates = columns.flatMap(({ flexible }, index) =>
      flexible && widths[index]! > 8 ? [index] : [],
    )
    const widest = candidates.toSorted((a, b) => widths[b]! - widths[a]!)[0]
    if (over <= 0 || widest === undefined) return widths
    widths[widest]!--
  }
}

const cell = (text: string, width: number) =>
  (text.length > width ? `${text.slice(0, width - 1)}…` : text).padEnd(width)

const same = (padded: string) => padded

/** A label and what it says, line by line; what is null is left out, and more lines stand below the first. */
export function details(rows: readonly (readonly [string, string | readonly string[] | null])[]): string {
  const { dim } = colours(process.stdout)
  const said = rows.flatMap(([label, value]) => {
    const lines = value === null ? [] : typeof value === 'string' ? [value] : value
    return lines.length > 0 ? [{ label, lines }] : []
  })
  const width = Math.max(0, ...said.map(({ label }) => label.length))
  const lines = said.flatMap(({ label, lines }) =>
    lines.map((line, index) => `  ${dim((index === 0 ? label : '').padEnd(width))}${gap}${line}\n`),
  )
  return lines.join('')
}

/** Several columns inside one detail. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const count = Math.max(0, ...rows.map(row => row.length))
  const widths = Array.from({ length: count }, (_, index) =>
    Math.max(0, ...rows.map(row => row[index]?.length ?? 0)),
  )
  return rows.map(row =>
    row
      .map((text, index) => text.padEnd(widths[index]!))
      .join(gap)
      .trimEnd(),
  )
}
