/** Why a page is refused, and where. */

/** A page is read as a whole or not at all: half of it would look like series that ended. */
export class PageError extends Error {
  readonly reason: string
  /** From 1; none where the page as a whole is wrong. */
  readonly line: number | undefined
  /** From 1. */
  readonly column: number | undefined

  constructor(reason: string, line?: number, column?: number) {
    super(line === undefined ? reason : `line ${line}: ${reason}`)
    this.reason = reason
    this.line = line
    this.column = column
  }
}

/** Wrong at a place in the text; whoever knows the line makes a {@link PageError} of it. */
export class Misread extends Error {
  readonly at: number | undefined

  constructor(reason: string, at?: number) {
    super(reason)
    this.at = at
  }
}

const shown = 60

/** What was found instead, in quotes and not longer than a message should be. */
export const quoted = (found: string): string =>
  JSON.stringify(found.length > shown ? `${found.slice(0, shown)}…` : found)
