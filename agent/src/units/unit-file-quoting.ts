/**
 * Text as systemd reads it back unchanged (systemd.syntax(7), "Quoting" in systemd.service(5)): `%` begins a specifier in
 * every value, `$` a variable in a command line, quotes and backslashes are read in both.
 */

/** Line ends would begin a new directive; NUL ends the file for systemd. Never quoted, always refused. */
const unwritable = /[\0\r\n]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const otherControls = /[\x01-\x1f\x7f]/g
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

export class UnwritableText extends Error {
  constructor(what: string) {
    super(`${what} holds a line break or a NUL, which a unit file cannot hold`)
    this.name = 'UnwritableText'
  }
}

/** A value that systemd takes as it is, such as a description or a path without spaces at its ends. */
export function plainValue(text: string): string {
  refuseUnwritable(text, `the value ${JSON.stringify(text)}`)
  // A backslash at the end would go on with the next line.
  if (text.endsWith('\\') || text !== text.trim())
    throw new UnwritableText(`the value ${JSON.stringify(text)}`)
  return text.replaceAll('%', '%%')
}

/** A value that is one word of a list, such as a path in ReadWritePaths=. */
export function quotedWord(text: string): string {
  refuseUnwritable(text, `the word ${JSON.stringify(text)}`)
  return `"${escaped(text)}"`
}

/** `:` before the program: nothing in the arguments is a variable, so that `$` needs no care. */
export function commandLine(file: string, args: readonly string[]): string {
  return [`:${programWord(file)}`, ...args.map(quotedArgument)].join(' ')
}

/** `Environment=` takes a quoted assignment; `$` has no meaning there. */
export function environmentValue(name: string, value: string): string {
  if (!variableName.test(name)) throw new UnwritableText(`the variable name ${JSON.stringify(name)}`)
  // Not the value: it may be a secret.
  refuseUnwritable(value, `the variable ${name}`)
  return `"${escaped(`${name}=${value}`)}"`
}

/** Behind prefixes a quote would be read as part of the path, so that blanks and quotes are written as codes. */
function programWord(file: string): string {
  refuseUnwritable(file, `the program ${JSON.stringify(file)}`)
  return escaped(file).replaceAll("'", '\\x27').replaceAll(' ', '\\x20').replaceAll(';', '\\x3b')
}

function quotedArgument(text: string): string {
  refuseUnwritable(text, 'an argument of the program')
  return `"${escaped(text)}"`
}

function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('%', '%%')
    .replace(otherControls, control => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

function refuseUnwritable(text: string, what: string): void {
  if (unwritable.test(text)) throw new UnwritableText(what)
}
