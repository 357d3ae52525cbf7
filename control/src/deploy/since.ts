/** Since which commits a forge's push must have changed something, when pushes take the place of others that wait. */
import type { RunRow } from './run-row.ts'

/** More pushes than this, and nobody looks at what they changed. */
const atMost = 20

type Push = Pick<RunRow, 'changed_since'>

/**
 * What a run has to look back to that took the place of others: to all that they had, or a relevant push would be lost
 * behind one that is not. Null, when one of them was to be done anyway. All are kept, even where one push begins at the
 * end of another: they may be told of in the wrong order, and a rewritten branch only shows in its own.
 */
export function sinceAll(run: Push, gaveWay: readonly Push[]): string | null {
  const all = new Set<string>()
  for (const { changed_since } of [...gaveWay, run]) {
    if (changed_since === null) return null
    for (const since of sinceOf(changed_since)) all.add(since)
  }
  return all.size > atMost ? null : sinceText([...all])
}

export const sinceText = (commits: readonly string[]): string => JSON.stringify(commits)
export const sinceOf = (text: string): string[] => JSON.parse(text) as string[]
