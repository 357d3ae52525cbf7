/**
 * The drawn tree of folders in a document: one entry per line, children indented, the rest of the line is
 * explanation.
 */
import { posix } from 'node:path'
import type { Block } from './markdown.ts'

const branches = /[│├└─┬|]/g
const entry = /^( *)([\w.@{},/-]+)(?:$| {2,}| #)/
const maxStep = 4

/** Whether a fenced block draws folders: its first line is one. */
export function isPathTree({ language, lines }: Block): boolean {
  const first = entry.exec(lines[0] ?? '')?.[2] ?? ''
  return ['', 'text', 'tree'].includes(language) && (first === '.' || first.endsWith('/'))
}

/** The paths a tree draws, from the root. Lines that go on with an explanation are left out. */
export function pathsOfTree({ lines }: Block): string[] {
  const parents: { indent: number; path: string }[] = []
  let last = 0
  const paths: string[] = []
  for (const line of lines) {
    const [, spaces = '', name] = entry.exec(line.replace(branches, ' ')) ?? []
    const indent = spaces.length
    if (name === undefined || !looksLikeEntry(name) || indent > last + maxStep) continue
    while ((parents.at(-1)?.indent ?? -1) >= indent) parents.pop()
    const path = posix.join(parents.at(-1)?.path ?? '', name)
    paths.push(path)
    parents.push({ indent, path })
    last = indent
  }
  return paths
}

function looksLikeEntry(name: string): boolean {
  return name === '.' || name.endsWith('/') || /[^.]\.\w+$/.test(name) || name.startsWith('.')
}

/** Writes a list in braces out: `a/{b,c}.ts` stands for `a/b.ts` and `a/c.ts`. */
export function expandBraces(path: string): string[] {
  const match = /^(.*?)\{([^{}]*)\}(.*)$/.exec(path)
  if (!match) return [path]
  const [, before = '', list = '', after = ''] = match
  return list.split(',').flatMap(part => expandBraces(`${before}${part.trim()}${after}`))
}
