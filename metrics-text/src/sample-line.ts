/** What the two formats have in common in a line. */
import { type Generations, type KnownMetadata, owned } from './known-lines.ts'
import { columnOf } from './labels.ts'
import type { Limits } from './limits.ts'
import { passMetricName } from './names.ts'
import type { Sample } from './page.ts'
import { Misread } from './page-error.ts'
import { Series } from './series.ts'

/** Each takes the page and where the line starts and ends. */
export interface LineReaders {
  /** Undefined for a line that says nothing. */
  sample(text: string, start: number, end: number, around: Around): Sample | undefined
  metadata(text: string, start: number, end: number): KnownMetadata | undefined
}

export interface Around {
  line: number
  known: Generations<Series> | undefined
  /** The name of the sample before: most often that of this one too, and one string is enough for both. */
  before: string | undefined
  limits: Limits
}

export function nameEndOf(text: string, start: number): number {
  const end = passMetricName(text, start)
  if (end === start) throw new Misread(`a metric name is expected at column ${columnOf(text, start)}`, start)
  return end
}

/** The series whose text has just been passed: the one that is known, or a new one. */
export function seriesBetween(
  text: string,
  start: number,
  nameEnd: number,
  end: number,
  around: Around,
): Series {
  const { known, before } = around
  const own = text.slice(start, end)
  const found = known?.get(own)
  if (found) return found
  const isLikeBefore = before?.length === nameEnd - start && text.startsWith(before, start)
  if (!known) return new Series(own, isLikeBefore ? before : text.slice(start, nameEnd))
  const kept = owned(own)
  const series = new Series(kept, isLikeBefore ? before : kept.slice(0, nameEnd - start))
  known.set(kept, series)
  return series
}
