/** Every operation of the admin API, once: control serves them, the OpenAPI document lists them, clients call them. */
import { z } from 'zod'
import { auditPageDocument } from './audit.ts'
import type { Document } from './document.ts'
import { eventDocument } from './event.ts'
import { readinessDocument } from './readiness.ts'
import { sessionDocument } from './session.ts'
import { tokenCreateDocument, tokenCreatedDocument, tokenPageDocument } from './token.ts'
import { id, line } from './wire.ts'

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `{name}` for what `params` describes. */
  readonly path: `/api/${string}`
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly headers?: z.ZodObject
  readonly body?: Document
  readonly answer: {
    readonly status: 200 | 201 | 202 | 204
    readonly type?: 'application/json' | 'text/event-stream'
    readonly document?: Document
  }
}

const operation = <const O extends Operation>(o: O): O => o

const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('items on one page'),
  cursor: z.string().max(200).optional().describe('`next_cursor` of the page before'),
})

export const operations = {
  readOpenapi: operation({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This API, as an OpenAPI 3.1 document',
    answer: { status: 200 },
  }),
  readSession: operation({
    method: 'GET',
    path: '/api/session',
    summary: 'Who the caller is',
    answer: { status: 200, document: sessionDocument },
  }),
  readReadiness: operation({
    method: 'GET',
    path: '/api/readiness',
    summary: 'Why control is ready or not',
    answer: { status: 200, document: readinessDocument },
  }),
  followEvents: operation({
    method: 'GET',
    path: '/api/events',
    summary: 'Events as they happen, as server-sent events; Last-Event-ID resumes after that position',
    headers: z.object({
      'last-event-id': z.coerce.number().int().min(0).optional().describe('start after this position'),
    }),
    answer: { status: 200, type: 'text/event-stream', document: eventDocument },
  }),
  listAudit: operation({
    method: 'GET',
    path: '/api/audit',
    summary: 'Who did what, newest first',
    query: pageQuery.extend({
      by: line.max(200).optional(),
      subject: line.max(200).optional(),
    }),
    answer: { status: 200, document: auditPageDocument },
  }),
  listTokens: operation({
    method: 'GET',
    path: '/api/tokens',
    summary: 'Operators’ tokens, newest first',
    query: pageQuery,
    answer: { status: 200, document: tokenPageDocument },
  }),
  createToken: operation({
    method: 'POST',
    path: '/api/tokens',
    summary: 'Make an operator’s token; it is shown in this answer only',
    body: tokenCreateDocument,
    answer: { status: 201, document: tokenCreatedDocument },
  }),
  revokeToken: operation({
    method: 'DELETE',
    path: '/api/tokens/{id}',
    summary: 'Revoke a token, at once and for good',
    params: z.object({ id }),
    answer: { status: 204 },
  }),
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations
