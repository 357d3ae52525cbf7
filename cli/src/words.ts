/** A command as people write it, as the argument array that it is run with, and back. No shell is involved. */

const word = /\s*((?:[^\s'"]|'[^']*'|"[^"]*")+)/y

/** Splits at white space; quotes keep it. Undefined when a quote is not closed. */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = []
  const rest = text.trimEnd()
  word.lastIndex = 0
  while (word.lastIndex < rest.length) {
    const found = word.exec(rest)
    if (!found) return undefined
    words.push(found[1]!.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double))
  }
  return words
}

/** As `splitWords` reads it. */
export const joinWords = (words: readonly string[]): string => words.map(quoteWord).join(' ')

const quoteWord = (text: string) =>
  text !== '' && !/[\s'"]/.test(text) ? text : text.includes("'") ? `"${text}"` : `'${text}'`
