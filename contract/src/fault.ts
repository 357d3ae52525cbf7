/** What is thrown where an error is known: an entry of the catalogue and what it happened to. */
import { type ErrorCode, type ErrorEntry, errors } from './errors.ts'
import type { Run } from './run.ts'

export interface FieldError {
  readonly field: string
  readonly message: string
}

export interface FaultContext {
  readonly cause?: unknown
  /** What is wrong with which field of the request or the configuration. */
  readonly fields?: readonly FieldError[]
  /** When another attempt makes sense. */
  readonly retryAfterS?: number
  /** The methods that the path does take. */
  readonly allow?: readonly string[]
  /** The run that failed. */
  readonly run?: Run
}

export class Fault extends Error {
  readonly code: ErrorCode
  readonly fields: readonly FieldError[]
  readonly retryAfterS: number | undefined
  readonly allow: readonly string[]
  readonly run: Run | undefined

  /** `detail` is one sentence for the user: what happened, to what. It never holds a secret. */
  constructor(code: ErrorCode, detail: string, context: FaultContext = {}) {
    super(detail, { cause: context.cause })
    this.name = 'Fault'
    this.code = code
    this.fields = context.fields ?? []
    this.retryAfterS = context.retryAfterS
    this.allow = context.allow ?? []
    this.run = context.run
  }

  get entry(): ErrorEntry {
    return errors[this.code]
  }
}
