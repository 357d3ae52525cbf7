/**
 * Ids, shortened. UUIDv7 begin with the time, so those of one day begin alike: what is shown is the end, and either end
 * is taken.
 */
import { GuidedFault } from './fail.ts'

const shown = 8
const least = 6
const whole = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const shortId = (id: string): string => id.slice(-shown)

export const isWholeId = (text: string): boolean => whole.test(text)

export const mayBeId = (text: string): boolean =>
  text.length >= least && text.length <= 36 && /^[0-9a-f-]+$/i.test(text)

/** The one thing that the text stands for. `listed` is the command that shows the ids. */
export function pickById<T extends { id: string }>(text: string, items: readonly T[], listed: string): T {
  const wanted = text.toLowerCase()
  const found = mayBeId(text) ? items.filter(({ id }) => id.startsWith(wanted) || id.endsWith(wanted)) : []
  if (found.length === 1) return found[0]!
  const remedy = `\`${listed}\` shows the ids; ${least} characters of either end are enough where they are unique.`
  if (found.length === 0) throw new GuidedFault('not_found', `Nothing has the id ${text}.`, remedy)
  const some = found.slice(0, 3).map(({ id }) => shortId(id))
  throw new GuidedFault(
    'not_found',
    `${text} stands for ${found.length} ids, such as ${some.join(' and ')}.`,
    remedy,
  )
}
