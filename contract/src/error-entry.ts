/** What the catalogue of errors is made of. */

/** Whose turn it is. Refused: the caller can mend it. Unreachable: another side. Bug: ours. */
export type ErrorFamily = 'refused' | 'unreachable' | 'bug'

export interface ErrorEntry {
  readonly family: ErrorFamily
  /** The HTTP status it is answered with. */
  readonly status: number
  readonly title: string
  /** What it tells, for someone who has never seen it. */
  readonly meaning: string
  /** What to do next. */
  readonly remedy: string
}

export const refused = (status: number, title: string, meaning: string, remedy: string): ErrorEntry => ({
  family: 'refused',
  status,
  title,
  meaning,
  remedy,
})

export const unreachable = (status: number, title: string, meaning: string, remedy: string): ErrorEntry => ({
  family: 'unreachable',
  status,
  title,
  meaning,
  remedy,
})
