/**
 * The part of Go's templates that annotations are written with: `{{ $labels.job }}`, `{{ $value | humanize }}`. Everything else
 * is refused by name when a file is loaded.
 */
import { stringOf } from '../promql/literal.ts'
import { templateFunctions, textOf, type Value } from './functions.ts'
import { printer } from './printf.ts'

export interface TemplateData {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export type Template = (data: TemplateData) => string

interface Term {
  readonly kind: 'number' | 'text'
  read(data: TemplateData): Value
}

const longestTemplate = 10_000
/** What a piece is shows in its first character, so that no text makes this slow. */
const actionPattern = /^\{\{(-(?=\s))?((?:"(?:\\.|[^"\\\n])*"|`[^`]*`|[^"`}]|\}(?!\}))*)\}\}/

/** Throws what is refused. */
export function parseTemplate(text: string): Template {
  if (text.length > longestTemplate) throw new Error(`a template has at most ${longestTemplate} characters`)
  const parts: (string | Term)[] = []
  let rest = text
  for (let open = rest.indexOf('{{'); open >= 0; open = rest.indexOf('{{')) {
    const action = rest.slice(open).match(actionPattern)
    if (!action) throw new Error('{{ without }}')
    const [whole, trimsBefore, inside] = action
    const before = rest.slice(0, open)
    parts.push(trimsBefore ? before.trimEnd() : before)
    const term = readPipeline(inside!.replace(/\s-$/, ''))
    if (term) parts.push(term)
    rest = rest.slice(open + whole.length)
    if (/\s-$/.test(inside!)) rest = rest.trimStart()
  }
  parts.push(rest)
  if (parts.every(part => typeof part === 'string')) {
    const whole = parts.join('')
    return () => whole
  }
  return data => parts.map(part => (typeof part === 'string' ? part : textOf(part.read(data)))).join('')
}

/** Undefined for a comment. */
function readPipeline(text: string): Term | undefined {
  if (/^\s*\/\*.*\*\/\s*$/s.test(text)) return undefined
  const commands = split(text)
  return commands.reduce<Term | undefined>((before, words) => readCommand(words, before), undefined)
}

/** Words, by the pipes between them. */
function split(text: string): string[][] {
  const commands: string[][] = [[]]
  for (const [word] of text.matchAll(/"(?:\\.|[^"\\\n])*"|`[^`]*`|\||[^\s|]+/gs)) {
    if (word === '|') commands.push([])
    else commands.at(-1)!.push(word)
  }
  return commands
}

function readCommand(words: readonly string[], before: Term | undefined): Term {
  const [first, ...others] = words
  if (first === undefined) throw new Error('{{ }} says nothing')
  if (first === 'printf') return readPrintf(others, before)
  const apply = templateFunctions.get(first)
  if (!apply) {
    if (before || others.length > 0) throw unknown(first)
    return readTerm(first)
  }
  const parameters = [...others.map(readTerm), ...(before ? [before] : [])]
  if (parameters.length !== 1) throw new Error(`${first} takes one value`)
  return { kind: 'text', read: data => apply(parameters[0]!.read(data)) }
}

function readPrintf(words: readonly string[], before: Term | undefined): Term {
  const format = words[0] === undefined ? undefined : stringOf(words[0])
  if (format === undefined || !/^["`]/.test(words[0]!))
    throw new Error('printf begins with a format such as "%.2f"')
  const terms = [...words.slice(1).map(readTerm), ...(before ? [before] : [])]
  const print = printer(
    format,
    terms.map(({ kind }) => kind),
  )
  return { kind: 'text', read: data => print(terms.map(term => term.read(data))) }
}

function readTerm(word: string): Term {
  if (word === '$value' || word === '.Value') return { kind: 'number', read: ({ value }) => value }
  const label = word.match(/^(?:\$labels|\.Labels)\.([a-zA-Z_]\w*)$/)?.[1]
  if (label)
    return { kind: 'text', read: ({ labels }) => (Object.hasOwn(labels, label) ? labels[label]! : '') }
  const literal = /^["`]/.test(word) ? stringOf(word) : undefined
  if (literal !== undefined) return { kind: 'text', read: () => literal }
  throw unknown(word)
}

const unknown = (word: string): Error =>
  new Error(
    `${word} in a template is not known to the embedded metrics engine. It knows $value, $labels.NAME, printf, ${[...templateFunctions.keys()].join(', ')}; the Prometheus engine knows the rest`,
  )
