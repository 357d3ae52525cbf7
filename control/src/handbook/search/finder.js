/**
 * The rules of finding, for the server and for the page alike: beginnings of words, small mistakes, the title before the
 * text. JavaScript as browsers take it, with its types in comments; nothing here is Node’s.
 */
import MiniSearch from 'minisearch'
import { excerptOf } from './excerpt.js'
import { Marks } from './marks.js'

const longestQuery = 200
const mostWords = 10
/** Of more sections, only the titles are weighed, if enough have a word in it: nobody looks through the rest. */
const many = 300
const enough = 60
const titles = ['page', 'heading', 'tags']
const allFields = [...titles, 'text']
const tokenize = MiniSearch.getDefault('tokenize')

/** They are in nearly every section, and tell none from another. */
const commonWords = new Set(
  'a an and are as at be by for from has have in is it its of on or that the their they this to was what which with'.split(
    ' ',
  ),
)

/**
 * A page as index.json has it, and where it is served.
 * @typedef {object} FindablePage
 * @property {string} id
 * @property {string} path
 * @property {string} title
 * @property {string | null} description
 * @property {string} kind
 * @property {readonly string[]} tags
 * @property {readonly { id: string, title: string, text: string }[]} sections
 */

/**
 * @typedef {object} Found
 * @property {string} url
 * @property {string} page
 * @property {string} title
 * @property {string | null} section
 * @property {import('./excerpt.js').Piece[]} excerpt
 * @property {number} score
 */

/** @typedef {{ page: FindablePage, section: { id: string, title: string, text: string } }} Place */

/**
 * A word, and how it may be written.
 * @typedef {{ queries: string[], prefix: boolean, fuzzy: number | false }} Word
 */

export class Finder {
  /** @type {MiniSearch<{ id: number, page: string, heading: string, tags: string, text: string }>} */
  #index = new MiniSearch({
    fields: allFields,
    processTerm: wordOf,
    autoVacuum: true,
    searchOptions: { boost: { page: 3, heading: 3, tags: 2 } },
  })
  /** By the number that the index knows a section by. @type {Map<number, Place>} */
  #places = new Map()
  /** Numbers of sections, by the path of their page. @type {Map<string, number[]>} */
  #numbers = new Map()
  #next = 0
  /** Of sections that are gone: given again, because a search has room for every number. @type {number[]} */
  #free = []

  /** @param {FindablePage} page */
  add(page) {
    /** @type {number[]} */
    const numbers = []
    this.#numbers.set(page.path, numbers)
    for (const [i, section] of sectionsOf(page).entries()) {
      const id = this.#free.pop() ?? this.#next++
      numbers.push(id)
      this.#places.set(id, { page, section })
      this.#index.add({
        id,
        // What the whole page is about counts once, for its beginning.
        page: i === 0 ? page.title : '',
        heading: section.title,
        tags: i === 0 ? `${page.tags.join(' ')} ${page.path.replaceAll('/', ' ')}` : '',
        text: section.text,
      })
    }
  }

  /** @param {string} path */
  remove(path) {
    for (const number of this.#numbers.get(path) ?? []) {
      this.#index.discard(number)
      this.#places.delete(number)
      this.#free.push(number)
    }
    this.#numbers.delete(path)
  }

  /**
   * @param {string} query
   * @param {number} limit
   * @returns {Found[]}
   */
  find(query, limit) {
    const written = wordsIn(query)
    if (written.length === 0) return []
    const { words, sections } = this.#understood(written, limit)
    const { chosen, fields } = this.#mostLikely(words, sections, limit)
    const hits = this.#index
      .search(
        { combineWith: 'OR', queries: words },
        { fields, boostDocument: number => (chosen.has(number) ? this.#weightOf(number) : 0) },
      )
      .slice(0, limit)
    const terms = [...new Set(hits.flatMap(hit => hit.terms))]
    return hits.map(({ id, score }) => found(/** @type {Place} */ (this.#places.get(id)), score, terms))
  }

  /**
   * Sections with all words as they begin, and with mistakes those that nothing begins with; else with mistakes in any; else
   * those that have most of the words.
   * @param {string[]} written
   * @param {number} limit
   */
  #understood(written, limit) {
    const asWritten = new Marks(this.#next)
    const words = written.map((word, i) => {
      // The last one is still being typed.
      const prefix = word.length > (i === written.length - 1 ? 1 : 2)
      /** @type {Word} */
      const exact = { queries: [word], prefix, fuzzy: false }
      return this.#mark(exact, i, asWritten) ? exact : this.#withMistakes(exact, i, asWritten)
    })
    const withAll = asWritten.withAll(words.length)
    if (withAll.length > 0) return { words, sections: withAll }
    const marks = new Marks(this.#next)
    const mistaken = words.map((word, i) => this.#withMistakes(word, i, marks))
    const withMistakes = marks.withAll(words.length)
    if (withMistakes.length > 0) return { words: mistaken, sections: withMistakes }
    return { words, sections: asWritten.withMost(limit) }
  }

  /**
   * @param {Word} word
   * @param {number} place
   * @param {Marks} marks
   * @returns {Word}
   */
  #withMistakes(word, place, marks) {
    const mistaken = { ...word, fuzzy: mistakesIn(word.queries[0] ?? '') }
    this.#mark(mistaken, place, marks)
    return mistaken
  }

  /**
   * Marks the sections that have a word. None is weighed, which would take many times longer.
   * @param {Word} word
   * @param {number} place
   * @param {Marks} marks
   * @param {string[]} [fields]
   * @returns {boolean} whether there are any
   */
  #mark(word, place, marks, fields = allFields) {
    let isThere = false
    const boostDocument = (/** @type {number} */ number) => {
      isThere = true
      marks.add(number, place)
      return 0
    }
    this.#index.search(word, { fields, boostDocument })
    return isThere
  }

  /**
   * Of very many, those that have one of the words in their title, by their titles alone.
   * @param {Word[]} words
   * @param {number[]} sections
   * @param {number} limit
   */
  #mostLikely(words, sections, limit) {
    if (sections.length > many) {
      const marks = new Marks(this.#next)
      for (const word of words) this.#mark(word, 0, marks, titles)
      const titled = sections.filter(section => marks.has(section))
      if (titled.length >= Math.max(enough, limit)) return { chosen: new Set(titled), fields: titles }
    }
    return { chosen: new Set(sections), fields: allFields }
  }

  /**
   * Who searches wants to be told first, and to look something up second.
   * @param {number} number
   */
  #weightOf(number) {
    return this.#places.get(number)?.page.kind === 'reference' ? 0.4 : 1
  }
}

/**
 * Each once.
 * @param {string} query
 * @returns {string[]}
 */
function wordsIn(query) {
  const words = tokenize(query.slice(0, longestQuery)).flatMap(
    (/** @type {string} */ term) => wordOf(term) ?? [],
  )
  return [...new Set(words)].slice(0, mostWords)
}

/** @param {string} term */
function wordOf(term) {
  const lower = term.toLowerCase()
  return lower === '' || commonWords.has(lower) ? null : lower
}

/**
 * The page itself is found by its title, also where it begins with a heading.
 * @param {FindablePage} page
 */
function sectionsOf({ description, sections }) {
  if (sections[0]?.id === '') return sections
  // Where nobody wrote one, it is how the text begins, which is found there.
  const isWritten =
    description !== null && !sections.some(({ text }) => text.startsWith(description.slice(0, -1)))
  return [{ id: '', title: '', text: isWritten ? description : '' }, ...sections]
}

/**
 * How many letters may be wrong. Long words with many mistakes would take long, and anybody may ask.
 * @param {string} word
 * @returns {number | false}
 */
function mistakesIn({ length }) {
  if (length < 4 || length > 30) return false
  return length < 8 ? 1 : 2
}

/**
 * @param {Place} place
 * @param {number} score
 * @param {readonly string[]} terms
 * @returns {Found}
 */
function found({ page, section }, score, terms) {
  return {
    url: section.id === '' ? page.path : `${page.path}#${section.id}`,
    page: page.id,
    title: page.title,
    section: section.id === '' ? null : section.title,
    excerpt: excerptOf(section.text, terms),
    score: Math.round(score * 100) / 100,
  }
}
