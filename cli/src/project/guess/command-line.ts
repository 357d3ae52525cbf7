/** A command as a repository writes it for a shell: taken as words where no shell is needed, and else not at all. */
import { splitWords } from '../../words.ts'

/** What only a shell understands. `$PORT` is known: it becomes the port. */
const shellSyntax = /[|&;<>()`*?[\]{}~#\\!\n]|\$(?!PORT\b)|^\s*\w+=/

export type Command = { words: string[] } | { shell: string }

export function commandOf(written: string): Command {
  const text = written.trim().replaceAll(/\$\{PORT\}/g, '$PORT')
  const found = shellSyntax.exec(text)
  if (found) return { shell: found[0].trim() }
  const words = splitWords(text)
  return words && words.length > 0 ? { words } : { shell: 'a quote that is not closed' }
}

/** gunicorn takes the port from its environment by itself. */
export function withoutOwnBind(words: readonly string[]): string[] {
  if (!words.some(word => /(^|\/)gunicorn$/.test(word))) return [...words]
  const isBind = (word: string | undefined) => /^(\S*:)?\$PORT$/.test(word ?? '')
  return words.filter((word, index) => {
    if (/^(-b|--bind)$/.test(word) && isBind(words[index + 1])) return false
    if (isBind(word) && /^(-b|--bind)$/.test(words[index - 1] ?? '')) return false
    return !/^--bind=(\S*:)?\$PORT$/.test(word)
  })
}

export const needsPort = (words: readonly string[]): boolean => words.some(word => word.includes('$PORT'))

export const withPort = (words: readonly string[], port: number): string[] =>
  words.map(word => word.replaceAll('$PORT', String(port)))
