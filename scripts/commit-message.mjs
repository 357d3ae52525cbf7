/**
 * The rule for commit messages: Conventional Commits 1.0.0 (conventionalcommits.org), used by the hook and by
 * the check.
 */

/** The types a commit may have. */
export const commitTypes = [
  'feat',
  'fix',
  'docs',
  'style',
  'refactor',
  'perf',
  'test',
  'build',
  'ci',
  'chore',
  'revert',
]

const maxHeaderLength = 100
const headerForm = /^(?<type>[a-z]+)(?<scope>\([a-z0-9][a-z0-9/_.,-]*\))?!?: (?<description>.+)$/
// Only words that are no nouns as well: "checks" or "changes" may begin a good description.
const notImperative =
  /^(?:add|fix|remov|improv|creat|implement|introduc|delet|renam|mov|mak|ensur|allow|updat)(?:e?s|e?d|ing)\b/

/**
 * Why a message is not accepted, or null if it is.
 * @param {string} message the whole message; only its first line and the line after it are judged
 * @returns {string | null}
 */
export function commitMessageProblem(message) {
  const [header = '', next = ''] = message.split('\n')
  const parts = headerForm.exec(header.trimEnd())?.groups
  if (!parts) return 'the first line must read "type(scope): description", where the scope may be left out'
  const { type = '', description = '' } = parts
  if (!commitTypes.includes(type)) return `"${type}" is no type; the types are ${commitTypes.join(', ')}`
  if (description.startsWith(' ')) return 'there is more than one space after the colon'
  if (/^\p{Lu}/u.test(description)) return 'the description must begin with a lower-case letter'
  if (notImperative.test(description))
    return 'the description must be imperative: "add", not "added" or "adds"'
  if (header.length > maxHeaderLength) {
    return `the first line has ${header.length} characters, ${maxHeaderLength} are allowed`
  }
  if (next.trim() !== '') return 'the second line must be empty'
  return null
}
