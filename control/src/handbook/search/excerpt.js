/** A few words of a text around what was found in it, with that marked. For the server and for the page alike. */

const excerptLength = 160
const endsInWord = /[\p{L}\p{N}]$/u

/**
 * `match` if it is what was looked for.
 * @typedef {{ text: string, match: boolean }} Piece
 */

/**
 * Around the first word that was found, with every one of them marked where a word begins.
 * @param {string} text
 * @param {readonly string[]} terms
 * @returns {Piece[]}
 */
export function excerptOf(text, terms) {
  const wanted = patternOf(terms)
  const [first] = placesOf(text, wanted)
  const shown = cut(text, Math.max(0, (first?.start ?? 0) - excerptLength / 4))
  /** @type {Piece[]} */
  const pieces = []
  let from = 0
  for (const { start, end } of placesOf(shown, wanted)) {
    pieces.push(
      { text: shown.slice(from, start), match: false },
      { text: shown.slice(start, end), match: true },
    )
    from = end
  }
  return [...pieces, { text: shown.slice(from), match: false }].filter(piece => piece.text !== '')
}

/**
 * The longest first: it is what stands there. Classes such as \p{L} are no part of it, because it is compiled for every
 * query, and they take longer than all the rest.
 * @param {readonly string[]} terms
 */
function patternOf(terms) {
  const words = terms
    .filter(Boolean)
    .sort((one, other) => other.length - one.length)
    .map(term => term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  return new RegExp(words.length === 0 ? '(?!)' : words.join('|'), 'gi')
}

/**
 * Where words begin with what is wanted.
 * @param {string} text
 * @param {RegExp} wanted
 */
function* placesOf(text, wanted) {
  for (const { 0: match, index } of text.matchAll(wanted))
    if (!endsInWord.test(text.slice(Math.max(0, index - 2), index)))
      yield { start: index, end: index + match.length }
}

/**
 * @param {string} text
 * @param {number} from
 */
function cut(text, from) {
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1
  const end = start + excerptLength
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`
}
