/** What an operation of a host is, and what several of them share. */
import { z } from 'zod'
import type { Document } from './document.ts'
import { problemDocument } from './problem.ts'
import { runDocument } from './run.ts'
import { id, slug } from './wire.ts'

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `{name}` for what `params` describes; below `/api/` unless it is served to everybody as it is. */
  readonly path: `/${string}`
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly headers?: z.ZodObject
  readonly body?: Document
  /** The call is proven by its signature: it needs no token, and a repetition is known without a key. */
  readonly signed?: true
  /** The body may be left out. */
  readonly bodyOptional?: true
  /** What is taken at most, where that is not `limits.body_bytes`. */
  readonly bodyBytes?: number
  readonly answer: {
    readonly status: 200 | 201 | 202 | 204
    readonly type?: 'application/json' | 'text/event-stream'
    readonly document?: Document
  }
  /** What else it may answer, beside the errors that every operation may. */
  readonly otherwise?: readonly {
    readonly status: number
    readonly meaning: string
    readonly document: Document
  }[]
}

export const operation = <const O extends Operation>(o: O): O => o

export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('items on one page'),
  cursor: z.string().max(200).optional().describe('`next_cursor` of the page before'),
})

export const byName = z.object({ name: slug })
export const byId = z.object({ id })
export const byServiceId = z.object({ id: slug })

const wait = z.object({
  prefer: z
    .string()
    .max(200)
    .optional()
    .describe(
      '`wait=SECONDS`, at most 600: the answer comes when the run has ended, or as 202 when the time is up',
    ),
})

/** The answers of everything that starts a run. */
export const runAccepted = {
  headers: wait,
  answer: { status: 202, document: runDocument },
  otherwise: [
    { status: 200, meaning: 'With `Prefer: wait`: the run ended well', document: runDocument },
    { status: 424, meaning: 'With `Prefer: wait`: the run failed', document: problemDocument },
  ],
} as const
