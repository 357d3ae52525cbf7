/** Puts files into one another: a line `<!--@include: ./part.md-->` is replaced by that file of the same source. */
import { posix } from 'node:path'
import { limits, type SourceFile } from './source.ts'

const deepest = 8
const line = /^<!--\s*@include:\s*(.*?)\s*-->\s*$/
const frontMatter = /^---\r?\n[\s\S]*?\r?\n---[ \t]*(\r?\n|$)/

export interface Expanded {
  text: string
  /** Of each line where it stands; null: the text is one file, as it is. */
  origins: readonly { path: string; line: number }[] | null
}

export class IncludeFault extends Error {
  readonly path: string
  readonly line: number

  constructor(path: string, line: number, message: string) {
    super(message)
    this.path = path
    this.line = line
  }
}

export function expand(file: SourceFile, files: ReadonlyMap<string, SourceFile>): Expanded {
  if (!file.text.includes('@include:')) return { text: file.text, origins: null }
  const lines: string[] = []
  const origins: { path: string; line: number }[] = []
  let size = 0
  const take = ({ path, text }: SourceFile, through: readonly string[]): void => {
    const header = through.length > 0 ? (frontMatter.exec(text)?.[0] ?? '') : ''
    const skipped = header.split('\n').length - 1
    for (const [i, written] of text.slice(header.length).split('\n').entries()) {
      const at = skipped + i + 1
      const wanted = line.exec(written)?.[1]
      if (wanted === undefined) {
        size += written.length + 1
        if (size > limits.pageBytes) throw new IncludeFault(path, at, tooLarge)
        lines.push(written)
        origins.push({ path, line: at })
      } else take(included(files, path, at, wanted, [...through, path]), [...through, path])
    }
  }
  take(file, [])
  return { text: lines.join('\n'), origins }
}

const tooLarge = `what it includes makes it larger than ${limits.pageBytes / 1024} KiB`

function included(
  files: ReadonlyMap<string, SourceFile>,
  from: string,
  at: number,
  wanted: string,
  through: readonly string[],
): SourceFile {
  const path = posix.join(posix.dirname(from), wanted)
  if (wanted.startsWith('/') || path.startsWith('../'))
    throw new IncludeFault(from, at, `the include ${wanted} leads out of the source`)
  if (through.includes(path)) throw new IncludeFault(from, at, `the include ${wanted} goes round in a circle`)
  if (through.length > deepest)
    throw new IncludeFault(from, at, `includes are nested more than ${deepest} deep`)
  const file = files.get(path)
  if (!file) throw new IncludeFault(from, at, `the include ${wanted} is not there`)
  return file
}
