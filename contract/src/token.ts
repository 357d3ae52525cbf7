/** Tokens: `qd_<kind>_` and 32 random bytes in base64url. Only their SHA-256 is ever stored. */
import { z } from 'zod'
import { document } from './document.ts'
import { id, line, page, slug, time } from './wire.ts'

export const tokenKinds = ['deploy', 'operator', 'join', 'machine'] as const
export type TokenKind = (typeof tokenKinds)[number]

export const tokenPattern = new RegExp(`^qd_(${tokenKinds.join('|')})_[A-Za-z0-9_-]{43}$`)

/** A token as the API lists it: everything but the token. */
export const token = z.object({
  id,
  kind: z.enum(tokenKinds),
  label: z.string(),
  project: slug.nullable().describe('of a deploy token: the project that it is for'),
  created_at: time,
  expires_at: time.nullable(),
  last_used_at: time.nullable().describe('to the minute'),
  revoked_at: time.nullable(),
})
export type Token = z.infer<typeof token>

export const tokenCreate = z.object({
  label: line
    .trim()
    .min(1, 'must not be empty')
    .max(100)
    .describe('whose it is, or what for; a run names its caller by it'),
  expires_at: time.optional().describe('without it the token lasts until it is revoked'),
})
export type TokenCreate = z.infer<typeof tokenCreate>

export const tokenCreated = z.object({
  id,
  label: z.string(),
  token: z.string().regex(tokenPattern).describe('shown this once only'),
  expires_at: time.nullable(),
})
export type TokenCreated = z.infer<typeof tokenCreated>

/** A new token in place of an old one, which goes on working for a while. */
export const tokenRotate = z.object({
  overlap_s: z
    .int()
    .min(0)
    .max(30 * 86_400)
    .default(86_400)
    .describe('how long the old token still counts'),
  expires_at: time.optional().describe('of the new token'),
})
export type TokenRotate = z.infer<typeof tokenRotate>

const exampleId = '019a8f5e-6c1b-7d3a-9f10-2b8c4d5e6f70'

export const tokenDocument = document('token', token, {
  id: exampleId,
  kind: 'operator',
  label: 'Ana’s laptop',
  project: null,
  created_at: '2026-11-15T09:00:00Z',
  expires_at: null,
  last_used_at: '2026-11-15T09:41:00Z',
  revoked_at: null,
})

export const tokenPageDocument = document('token-page', page(token), {
  items: [tokenDocument.example],
  next_cursor: null,
})

export const tokenCreateDocument = document('token-create', tokenCreate, { label: 'Ana’s laptop' })

export const tokenCreatedDocument = document('token-created', tokenCreated, {
  id: exampleId,
  label: 'Ana’s laptop',
  token: 'qd_operator_3q2-7wAAAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBk',
  expires_at: null,
})

export const tokenRotateDocument = document('token-rotate', tokenRotate, { overlap_s: 3600 })
