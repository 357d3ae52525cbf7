/**
 * A unit file that a project brings, laid over the generated one. It is somebody else's text and would be read by root's
 * systemd: it is taken apart line by line, what is allowed is written anew, and everything else is refused by name.
 */
import { RunFault } from '@quarterdeck/contract'
import { type Allowed, allowedDirectives, notTaken, repeatable } from './own-unit-directives.ts'
import type { UnitStart } from './unit-engine.ts'
import type { Directive, Section } from './unit-file.ts'

const longestFile = 64 * 1024
const controls = /\p{Cc}|[\u2028\u2029\ufeff]/u
/** `@ - : + !` before the program change who it runs as and what it is; `|` is newer systemd's. */
const program = /^\/[^\s"'\\;]+$/
const variable = /^[A-Za-z_][A-Za-z0-9_]*=/
/** Named by us and read by others: the agent proves the release by them. */
const ownVariables = /^(PORT|HOST|QUARTERDECK_\w*|LD_\w+|LISTEN_\w+|NOTIFY_SOCKET)=/

interface Line {
  readonly number: number
  readonly section: string | undefined
  readonly name: string
  readonly value: string
}

export function mergeOwnUnit(generated: Section[], { ownUnit }: UnitStart): Section[] {
  if (!ownUnit) return generated
  const taken = readOwnUnit(ownUnit.file, ownUnit.text)
  return generated.map(section => {
    const over = taken.get(section.name) ?? []
    return over.length > 0 ? { ...section, directives: layOver(section.directives, over) } : section
  })
}

/** The allowed directives by section, in systemd's own words and quoting. Throws `restart_failed` for any other. */
export function readOwnUnit(file: string, text: string): Map<string, Directive[]> {
  if (text.length > longestFile) throw new RunFault('restart_failed', `${file} is longer than 64 KiB.`)
  const taken = new Map<string, Directive[]>()
  for (const line of linesOf(file, text)) {
    const value = checkedValue(file, line)
    if (notTaken.has(line.name)) continue
    taken.set(line.section!, [...(taken.get(line.section!) ?? []), [line.name, value]])
  }
  return taken
}

/** Ours goes where theirs stands, except variables, of which theirs are added behind: the later one counts. */
function layOver(ours: readonly Directive[], theirs: readonly Directive[]): Directive[] {
  const last = new Map(theirs.filter(([name]) => !repeatable.has(name)))
  const added = theirs.filter(([name]) => repeatable.has(name))
  const kept = ours.map(([name, value]): Directive => [name, last.get(name) ?? value])
  const names = new Set(ours.map(([name]) => name))
  return [...kept, ...[...last].filter(([name]) => !names.has(name)), ...added]
}

function linesOf(file: string, text: string): Line[] {
  const found: Line[] = []
  let section: string | undefined
  for (const [index, raw] of text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .entries()) {
    const at = { file, number: index + 1 }
    const line = raw.replaceAll('\t', ' ').trim()
    // Also in comments: what looks like one line to us must be one line to every reader.
    if (controls.test(line)) throw refusal(at, 'it holds a control character')
    if (line.endsWith('\\')) throw refusal(at, 'lines that go on in the next one are not allowed')
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue
    if (line.startsWith('[')) section = sectionOf(at, line)
    else found.push({ number: at.number, section, ...directiveOf(at, line) })
  }
  return found
}

function sectionOf(at: Place, line: string): string {
  const name = /^\[(\w+)\]$/.exec(line)?.[1]
  if (name && Object.hasOwn(allowedDirectives, name)) return name
  throw refusal(at, `the section ${line} is not allowed; [Unit], [Service] and [Install] are`)
}

function directiveOf(at: Place, line: string): { name: string; value: string } {
  const found = /^([A-Za-z][A-Za-z0-9]*)\s*=\s*(.*)$/.exec(line)
  if (!found) throw refusal(at, 'it is no directive')
  return { name: found[1]!, value: found[2]! }
}

function checkedValue(file: string, { number, section, name, value }: Line): string {
  const at = { file, number }
  const table: Record<string, Allowed> =
    allowedDirectives[section as keyof typeof allowedDirectives] ?? Object.create(null)
  const allowed = Object.hasOwn(table, name) ? table[name] : undefined
  if (!allowed)
    throw refusal(at, `${name}= is not allowed${section ? ` in [${section}]` : ' before a section'}`)
  if (allowed === 'command') return commandOf(at, name, value)
  if (allowed === 'environment') return environmentOf(at, name, value)
  if (value === '' || !allowed.test(value)) throw refusal(at, `${name}=${value} is not allowed`)
  return value
}

/** Variables stay (`${PORT}`), because they are the unit's own; prefixes, specifiers and second commands do not. */
function commandOf(at: Place, name: string, value: string): string {
  const words = wordsOf(at, name, value)
  if (!program.test(words[0] ?? ''))
    throw refusal(at, `${name}= must begin with the absolute path of a program, without + ! @ - : before it`)
  if (words[0]!.includes('$')) throw refusal(at, `${name}= must name its program without variables`)
  return [words[0], ...words.slice(1).map(quoted)].join(' ')
}

function environmentOf(at: Place, name: string, value: string): string {
  const words = wordsOf(at, name, value)
  for (const word of words) {
    if (!variable.test(word)) throw refusal(at, `${name}= takes NAME=value`)
    if (ownVariables.test(word)) throw refusal(at, `${word.split('=')[0]} is set by Quarterdeck`)
  }
  if (words.length === 0) throw refusal(at, `${name}= takes NAME=value`)
  return words.map(quoted).join(' ')
}

/** Words between blanks, or whole in quotes. Backslashes and specifiers (%) are refused: nobody has to guess them. */
function wordsOf(at: Place, name: string, value: string): string[] {
  if (/[\\%]/.test(value)) throw refusal(at, `${name}= must not hold \\ or %`)
  const words: string[] = []
  let rest = value.trim()
  while (rest !== '') {
    const found = /^(?:"([^"]*)"|'([^']*)'|([^\s"']+))(?=\s|$)\s*/.exec(rest)
    if (!found) throw refusal(at, `${name}= has a quote that does not stand around a whole word`)
    const word = found[1] ?? found[2] ?? found[3]!
    if (word === ';') throw refusal(at, `${name}= takes one command`)
    words.push(word)
    rest = rest.slice(found[0].length)
  }
  return words
}

const quoted = (word: string) => `"${word.replaceAll('"', '\\"')}"`

interface Place {
  readonly file: string
  readonly number: number
}

function refusal({ file, number }: Place, why: string): RunFault {
  return new RunFault('restart_failed', `${file}, line ${number}: ${why}.`)
}
