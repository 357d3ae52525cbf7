/**
 * One dependency list as pip reads it (pip's `req_file.py`): continuations, comments, variables, then a requirement, or
 * options. Kept that close because what pip sees and we do not would be missing from an environment's identity.
 */

export interface RequirementLine {
  /** Of its first line in the file, from 1. */
  readonly number: number
  /** What it says, in one spelling: whitespace that means nothing is gone. */
  readonly text: string
  /** A requirement, such as `flask>=2 ; python_version < "3.12"` or `./lib[extra]`. */
  readonly requirement?: string
  readonly editable?: string
  /** Another list; at most one per line, as pip has it. */
  readonly list?: { readonly path: string; readonly constraint: boolean }
  readonly findLinks: readonly string[]
}

/** Python's `str.splitlines`, which breaks at more than a newline. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they end lines for Python.
const lineBreak = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/
const comment = /(^|\s+)#.*$/
const commentLine = /^\s*#/
const variable = /\$\{([A-Z0-9_]+)\}/g

/** The long options of a list. Like pip, any beginning that fits just one of them will do. */
const withValue = [
  '--index-url',
  '--pypi-url',
  '--extra-index-url',
  '--constraint',
  '--requirement',
  '--editable',
  '--find-links',
  '--no-binary',
  '--only-binary',
  '--trusted-host',
  '--use-feature',
  '--hash',
  '--global-option',
]
const flags = ['--no-index', '--prefer-binary', '--require-hashes', '--pre']
const shortOptions: Record<string, string> = {
  '-r': '--requirement',
  '-c': '--constraint',
  '-e': '--editable',
  '-f': '--find-links',
  '-i': '--index-url',
}

/** `variables` are those that the installer will have. */
export function requirementLines(
  text: string,
  variables: Readonly<Record<string, string>>,
): RequirementLine[] {
  return joined(text.split(lineBreak)).flatMap(({ number, line }) => {
    const bare = line.replace(comment, '').trim()
    const told = bare.replaceAll(variable, (whole, name) => variables[name] || whole)
    return told ? [parse(number, told)] : []
  })
}

/** A backslash at the end goes on in the next line, unless the line is a comment. */
function joined(lines: readonly string[]): { number: number; line: string }[] {
  const whole: { number: number; line: string }[] = []
  let open: { number: number; line: string } | null = null
  for (const [at, line] of lines.entries()) {
    const isComment = commentLine.test(line)
    open ??= { number: at + 1, line: '' }
    if (line.endsWith('\\') && !isComment) {
      open.line += line.replace(/^\\+|\\+$/g, '')
      continue
    }
    open.line += isComment ? ` ${line}` : line
    whole.push(open)
    open = null
  }
  return open ? [...whole, open] : whole
}

function parse(number: number, line: string): RequirementLine {
  const words = line.split(' ')
  const firstOption = words.findIndex(word => word.startsWith('-'))
  const requirement = (firstOption < 0 ? words : words.slice(0, firstOption)).join(' ').trim()
  const options = firstOption < 0 ? [] : optionsIn(shellWords(words.slice(firstOption).join(' ')))
  const valuesOf = (name: string) =>
    options.filter(option => option.name === name).map(option => option.value)
  const findLinks = valuesOf('--find-links')
  const base = { number, text: inOneSpelling(line, requirement), findLinks }
  if (requirement) return { ...base, requirement }
  const [editable] = valuesOf('--editable')
  if (editable !== undefined) return { ...base, editable }
  const [list] = valuesOf('--requirement')
  if (list !== undefined) return { ...base, list: { path: list, constraint: false } }
  const [constraints] = valuesOf('--constraint')
  return constraints !== undefined ? { ...base, list: { path: constraints, constraint: true } } : base
}

/** Paths and addresses keep their spaces apart; between a name, its versions and its markers they mean nothing. */
function inOneSpelling(line: string, requirement: string): string {
  const single = line.replaceAll(/\s+/g, ' ')
  if (!requirement || requirement.includes('/')) return single
  return single.replaceAll(/ ?([=<>!~]=?=?|[,;()[\]]) ?/g, '$1')
}

function optionsIn(words: readonly string[]): { name: string; value: string }[] {
  const options: { name: string; value: string }[] = []
  const rest = words.values()
  for (const word of rest) {
    const { name, value } = optionOf(word)
    if (name && withValue.includes(name)) options.push({ name, value: value ?? rest.next().value ?? '' })
  }
  return options
}

function optionOf(word: string): { name?: string | undefined; value?: string | undefined } {
  if (!word.startsWith('--'))
    return { name: shortOptions[word.slice(0, 2)], value: word.slice(2) || undefined }
  const [, given = '', value] = /^(--[^=]*)(?:=(.*))?$/s.exec(word) ?? []
  const fitting = [...withValue, ...flags].filter(name => name.startsWith(given))
  return { name: fitting.length === 1 ? fitting[0] : fitting.find(name => name === given), value }
}

/** Words as `shlex.split` has them: quotes and backslashes as in a POSIX shell. */
function shellWords(text: string): string[] {
  const word = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs
  return (text.match(word) ?? []).map(each =>
    each.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs, (_all, single, double, escaped) =>
      single !== undefined ? single : double !== undefined ? double.replaceAll(/\\(["\\])/g, '$1') : escaped,
    ),
  )
}
