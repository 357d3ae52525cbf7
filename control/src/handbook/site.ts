/** The handbook as a whole: which pages there are, in which order, under which names. Pure, and made anew for every change. */
import { createHash } from 'node:crypto'
import { rankOf } from './kinds.ts'
import { homeId, pathOf } from './page-id.ts'
import type { Rendered } from './render/rendered.ts'
import { fileOf, type Problem, type Source } from './source.ts'

/** A file that became a page. */
export interface Entry {
  readonly source: Source
  readonly file: string
  readonly id: string
  readonly rendered: Rendered
  readonly text: string
  /** SHA-256 of the text. */
  readonly hash: string
  readonly updatedAt: string
  /** Of each line where it stands, if other files were put in. */
  readonly origins: readonly { path: string; line: number }[] | null
}

export interface Page extends Entry {
  /** Where it is served. */
  readonly path: string
  parent: Page | null
  readonly children: Page[]
  previous: Page | null
  next: Page | null
}

export interface Site {
  /** In the order of reading. */
  readonly pages: readonly Page[]
  /** Pages of the first level; the home page is not among them. */
  readonly top: readonly Page[]
  readonly byPath: ReadonlyMap<string, Page>
  /** Earlier paths. */
  readonly aliases: ReadonlyMap<string, Page>
  readonly sources: readonly Source[]
  readonly problems: readonly Problem[]
  /** On all pages together. */
  readonly words: number
  /** Of everything that it is made from. */
  readonly revision: string
}

export function assemble(entries: readonly Entry[], sources: readonly Source[]): Site {
  const problems: Problem[] = []
  const byPath = new Map<string, Page>()
  for (const entry of entries) {
    const path = pathOf(entry.id)
    const first = byPath.get(path)
    if (!first) byPath.set(path, { ...entry, path, parent: null, children: [], previous: null, next: null })
    else if (!entry.source.shipped)
      problems.push({
        file: fileOf(entry.source, entry.file),
        line: null,
        message: `has the id ${entry.id}, which ${fileOf(first.source, first.file)} has already: left out`,
      })
  }
  const top = family(byPath)
  const pages: Page[] = []
  const visit = (page: Page) => {
    pages.push(page)
    for (const child of page.children) visit(child)
  }
  const home = byPath.get('/')
  for (const page of home ? [home, ...top] : top) visit(page)
  for (const [i, page] of pages.entries()) {
    page.previous = pages[i - 1] ?? null
    page.next = pages[i + 1] ?? null
  }
  return {
    pages,
    top,
    byPath,
    aliases: aliasesOf(pages, byPath, problems),
    sources,
    problems,
    words: pages.reduce((sum, { rendered }) => sum + rendered.words, 0),
    revision: revisionOf(pages),
  }
}

/** Gives each page its parent and, in order, its children; returns those without a parent. */
function family(byPath: ReadonlyMap<string, Page>): Page[] {
  const top: Page[] = []
  for (const page of byPath.values()) {
    if (page.id === homeId) continue
    page.parent = parentOf(page.id, byPath)
    ;(page.parent?.children ?? top).push(page)
  }
  for (const page of byPath.values()) page.children.sort(byOrder)
  return top.sort((a, b) => rankOf(a.rendered.meta.kind) - rankOf(b.rendered.meta.kind) || byOrder(a, b))
}

/** The nearest page above, by its path. */
function parentOf(id: string, byPath: ReadonlyMap<string, Page>): Page | null {
  for (let end = id.lastIndexOf('/'); end > 0; end = id.lastIndexOf('/', end - 1)) {
    const parent = byPath.get(`/${id.slice(0, end)}`)
    if (parent) return parent
  }
  return null
}

const byOrder = (a: Page, b: Page) =>
  a.rendered.meta.order - b.rendered.meta.order ||
  (a.rendered.title < b.rendered.title ? -1 : a.rendered.title > b.rendered.title ? 1 : a.id < b.id ? -1 : 1)

/** A page that is there goes before an alias, and the first of two aliases before the other. */
function aliasesOf(
  pages: readonly Page[],
  byPath: ReadonlyMap<string, Page>,
  problems: Problem[],
): ReadonlyMap<string, Page> {
  const aliases = new Map<string, Page>()
  for (const page of pages) {
    for (const written of page.rendered.meta.aliases) {
      const alias = written.replace(/(.)\/+$/, '$1')
      const taken = byPath.get(alias) ?? aliases.get(alias)
      if (!taken) aliases.set(alias, page)
      else if (taken !== page)
        problems.push({
          file: fileOf(page.source, page.file),
          line: null,
          message: `the alias ${alias} is taken by ${fileOf(taken.source, taken.file)}`,
        })
    }
  }
  return aliases
}

function revisionOf(pages: readonly Page[]): string {
  const hash = createHash('sha256')
  for (const { id, hash: own, updatedAt } of pages) hash.update(`${id} ${own} ${updatedAt}\n`)
  return hash.digest('hex').slice(0, 40)
}
