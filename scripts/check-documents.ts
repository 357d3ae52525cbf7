/**
 * Checks that what the documents name exists: links, anchors, paths in backticks, and the tree in
 * ARCHITECTURE.md.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Markdown, readMarkdown } from './markdown.ts'
import { expandBraces, isPathTree, pathsOfTree } from './path-tree.ts'
import { root as projectRoot } from './project.mjs'

export interface DocumentReport {
  problems: string[]
  remark: string
}

interface Tree {
  root: string
  /** First parts of a path that make it one of this repository. */
  tops: Set<string>
  /** Names that Git ignores: what lies there is made on the machine. */
  ignored: Set<string>
  read(file: string): Markdown
}

/** Checks the Markdown files at the root of a checkout and in its handbook. */
export function checkDocuments(root: string): DocumentReport {
  const tree = openTree(root)
  const documents = [...markdownFiles(root), ...markdownFiles(join(root, 'handbook'), { deep: true })]
  const problems = documents.flatMap(file => {
    const { links, spans, blocks } = tree.read(file)
    const drawn =
      relative(root, file) === 'ARCHITECTURE.md' ? blocks.filter(isPathTree).flatMap(pathsOfTree) : []
    const found = [
      ...links.map(link => linkProblem(tree, file, link)),
      ...spans.flatMap(span => pathsOfSpan(tree, file, span)).map(path => missing(tree, path)),
      ...drawn.flatMap(expandBraces).map(path => missing(tree, path)),
    ]
    return [...new Set(found)]
      .filter(problem => problem !== null)
      .map(text => `${relative(root, file)}: ${text}`)
  })
  return {
    problems,
    remark: problems.length === 0 ? `Files: ${documents.length}` : 'Mend the text or the path.',
  }
}

function openTree(root: string): Tree {
  const ignored = namesIn(join(root, '.gitignore'))
  const tops = new Set(readdirSync(root).filter(name => name !== '.git' && !ignored.has(name)))
  const texts = new Map<string, Markdown>()
  const read = (file: string) => {
    const known = texts.get(file) ?? readMarkdown(readFileSync(file, 'utf8'))
    texts.set(file, known)
    return known
  }
  return { root, tops, ignored, read }
}

function namesIn(gitignore: string): Set<string> {
  if (!existsSync(gitignore)) return new Set()
  const lines = readFileSync(gitignore, 'utf8').split('\n')
  return new Set(lines.map(line => line.trim().replace(/^\/|\/$/g, '')).filter(Boolean))
}

function markdownFiles(folder: string, { deep = false } = {}): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: deep, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .sort()
    .map(name => join(folder, name))
}

function linkProblem(tree: Tree, from: string, link: string): string | null {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(link)) return null
  const [path = '', anchor] = decodeURI(link).split('#')
  const target = path === '' ? from : join(dirname(from), path)
  if (!existsSync(target)) return `the link ${link} leads nowhere`
  if (!anchor || !target.endsWith('.md')) return null
  return tree.read(target).anchors.has(anchor) ? null : `the link ${link} names a heading that is not there`
}

/** The paths of this repository that a code span names: commands, globs, homes and other people's paths give none. */
function pathsOfSpan(tree: Tree, from: string, span: string): string[] {
  const written = span.replace(/:\d+$/, '')
  if (!/^[\w.@{},/-]+$/.test(written) || !written.includes('/') || written.includes('...')) return []
  return expandBraces(written)
    .map(path => (/^\.\.?\//.test(path) ? relative(tree.root, join(dirname(from), path)) : path))
    .filter(path => {
      const parts = path.split('/')
      return tree.tops.has(parts[0] ?? '') && !parts.some(part => tree.ignored.has(part))
    })
}

function missing({ root }: Tree, path: string): string | null {
  return existsSync(join(root, path)) ? null : `${path} does not exist`
}

if (import.meta.main) {
  const { problems, remark } = checkDocuments(projectRoot)
  process.stdout.write([...problems, remark, ''].join('\n'))
  process.exitCode = problems.length === 0 ? 0 : 1
}
