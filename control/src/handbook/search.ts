/** Finds sections by what people type: beginnings of words, small mistakes, the title before the text. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import MiniSearch, { type SearchResult } from 'minisearch'
import type { Rendered } from './render/rendered.ts'
import type { Page, Site } from './site.ts'

const turnMs = 10
const excerptLength = 160
const longestQuery = 200
const mostWords = 12
/** Of how many the kind of page counts, too. */
const weighed = 60

/** They are in nearly every section, and tell none from another. */
const commonWords = new Set(
  'a an and are as at be by for from has have in is it its of on or that the their they this to was what which with'.split(
    ' ',
  ),
)

interface Section {
  id: string
  /** Of the page. */
  page: string
  heading: string
  tags: string
  text: string
}

/** A piece of text; `match` if it is what was looked for. */
export interface Piece {
  readonly text: string
  readonly match: boolean
}

export interface Found {
  readonly url: string
  readonly page: string
  readonly title: string
  readonly section: string | null
  readonly excerpt: readonly Piece[]
  readonly score: number
}

/** Made when it is first asked, and then kept up with the site. */
export class Search {
  readonly #index = new MiniSearch<Section>({
    fields: ['page', 'heading', 'tags', 'text'],
    idField: 'id',
    processTerm: term => {
      const lower = term.toLowerCase()
      return commonWords.has(lower) ? null : lower
    },
    autoVacuum: true,
    searchOptions: {
      prefix: term => term.length > 1,
      // Long words with many mistakes would take long, and anybody may ask.
      fuzzy: term => (term.length > 3 && term.length < 30 ? 0.2 : false),
      maxFuzzy: 2,
      boost: { page: 3, heading: 3, tags: 2 },
      combineWith: 'AND',
    },
  })
  readonly #indexed = new Map<string, { rendered: Rendered; ids: string[] }>()
  #site: Site | undefined
  #following: Promise<void> = Promise.resolve()

  /** Whoever asks meanwhile waits for it. */
  follow(site: Site): Promise<void> {
    if (this.#site === site) return Promise.resolve()
    this.#following = this.#following.then(() => this.#catchUp(site))
    return this.#following
  }

  async #catchUp(site: Site): Promise<void> {
    if (this.#site === site) return
    for (const [path, { ids, rendered }] of this.#indexed) {
      if (site.byPath.get(path)?.rendered === rendered) continue
      for (const id of ids) this.#index.discard(id)
      this.#indexed.delete(path)
    }
    let since = performance.now()
    for (const page of site.pages) {
      if (this.#indexed.has(page.path)) continue
      const sections = sectionsOf(page)
      this.#index.addAll(sections)
      this.#indexed.set(page.path, { rendered: page.rendered, ids: sections.map(({ id }) => id) })
      if (performance.now() - since < turnMs) continue
      await nextTurn()
      since = performance.now()
    }
    this.#site = site
  }

  find(query: string, limit: number): Found[] {
    const words = query.slice(0, longestQuery).split(/\s+/).slice(0, mostWords).join(' ')
    return this.#hits(words)
      .slice(0, Math.max(limit, weighed))
      .map(hit => ({ ...hit, score: hit.score * this.#weightOf(String(hit.id)) }))
      .sort((one, other) => other.score - one.score)
      .slice(0, limit)
      .flatMap(({ id, score, terms }) => this.#found(String(id), score, terms))
  }

  /** All words as they begin, else with mistakes, else any of them: each is slower than the one before. */
  #hits(words: string): SearchResult[] {
    for (const options of [{ fuzzy: false as const }, {}, { combineWith: 'OR' as const }]) {
      const hits = this.#index.search(words, options)
      if (hits.length > 0) return hits
    }
    return []
  }

  /** Who searches wants to be told first, and to look something up second. */
  #weightOf(id: string): number {
    const page = this.#site?.byPath.get(id.slice(0, id.indexOf('#')))
    return page?.rendered.meta.kind === 'reference' ? 0.4 : 1
  }

  #found(id: string, score: number, terms: readonly string[]): Found[] {
    const [path = '', anchor = ''] = id.split('#')
    const page = this.#site?.byPath.get(path)
    if (!page) return []
    const { title, sections } = page.rendered
    const section = sections.find(one => one.id === anchor)
    return [
      {
        url: anchor === '' ? path : `${path}#${anchor}`,
        page: page.id,
        title,
        section: section && section.id !== '' ? section.title : null,
        excerpt: excerptOf(section?.text ?? '', terms),
        score: Math.round(score * 100) / 100,
      },
    ]
  }
}

function sectionsOf({ path, rendered: { title, sections, meta } }: Page): Section[] {
  const tags = meta.tags.join(' ')
  // The page itself is found by its title, also where it begins with a heading.
  const all =
    sections[0]?.id === '' ? sections : [{ id: '', title: '', text: meta.description ?? '' }, ...sections]
  return all.map(({ id, title: heading, text }, i) => ({
    id: `${path}#${id}`,
    // What the whole page is about counts once, for its beginning.
    page: i === 0 ? title : '',
    heading,
    tags: i === 0 ? `${tags} ${path.replaceAll('/', ' ')}` : '',
    text,
  }))
}

/** Around the first word that was found, with every one of them marked where a word begins. */
export function excerptOf(text: string, terms: readonly string[]): Piece[] {
  const words = terms.map(term => term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).filter(Boolean)
  if (words.length === 0) return text === '' ? [] : [{ text: cut(text, 0), match: false }]
  const wanted = new RegExp(`(?<![\\p{L}\\p{N}])(${words.join('|')})`, 'giu')
  const first = text.search(wanted)
  return cut(text, Math.max(0, first - excerptLength / 4))
    .split(wanted)
    .map((piece, i) => ({ text: piece, match: i % 2 === 1 }))
    .filter(({ text: piece }) => piece !== '')
}

function cut(text: string, from: number): string {
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1
  const end = start + excerptLength
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`
}
