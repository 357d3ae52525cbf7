/**
 * A file of variables, as many tools have them (`.env`): NAME=value on each line, with or without `export`; quotes,
 * comments, several lines in double quotes. What is wrong is named by its line, and never shown.
 */
import { GuidedFault } from '../fail.ts'

const nothing = /[ \t]*(?:#.*)?$/my
const assignment = /[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*/y
const double = /"((?:[^"\\]|\\[\s\S])*)"[ \t]*(?:#.*)?$/my
const single = /'([^'\n]*)'[ \t]*(?:#.*)?$/my
const bare = /.*$/my
const escapes: Record<string, string> = { n: '\n', t: '\t', '"': '"', '\\': '\\', $: '$', '`': '`' }

export function readEnvFile(text: string, file: string): [string, string][] {
  const content = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
  const values: [string, string][] = []
  for (let at = 0; at < content.length; at++) {
    const empty = match(nothing, content, at)
    if (empty) {
      at += empty[0].length
      continue
    }
    const beginning = match(assignment, content, at)
    if (!beginning) throw wrong(file, content, at, 'it is not NAME=value')
    const rest = at + beginning[0].length
    const [whole, value] = valueAt(content, rest) ?? []
    if (whole === undefined || value === undefined)
      throw wrong(file, content, at, 'its quotes do not end, or something follows them')
    values.push([beginning[1]!, value])
    at = rest + whole.length
  }
  return values
}

/** As it is written up to its line's end, and what it means. */
function valueAt(content: string, at: number): [string, string] | undefined {
  const quote = content[at]
  if (quote !== '"' && quote !== "'") {
    const [line] = match(bare, content, at)!
    return [line, line.replace(/(?:^|[ \t])#.*$/, '').trimEnd()]
  }
  const quoted = match(quote === '"' ? double : single, content, at)
  return quoted ? [quoted[0], quote === '"' ? unescaped(quoted[1]!) : quoted[1]!] : undefined
}

function match(pattern: RegExp, content: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(content)
}

const unescaped = (text: string) =>
  text.replace(/\\([\s\S])/g, (whole, character: string) => escapes[character] ?? whole)

function wrong(file: string, content: string, at: number, why: string): GuidedFault {
  const line = content.slice(0, at).split('\n').length
  return new GuidedFault(
    'invalid_fields',
    `Line ${line} of ${file} cannot be read: ${why}.`,
    'It takes lines such as NAME=value, NAME="several\\nlines" and # comments. Nothing was changed.',
  )
}
