/** A project's forge: the webhook that it calls, and the statuses of commits that are written to it. */
import { z } from 'zod'
import { document } from './document.ts'
import { line, time, url } from './wire.ts'

export const forgeKind = z.enum(['github', 'gitea']).describe('gitea: Forgejo too')
export type ForgeKind = z.infer<typeof forgeKind>

/** Where GitHub itself is asked; one of one's own, and every Gitea, has its own address. */
export const githubApiUrl = 'https://api.github.com'

export const hookSecretPattern = /^qd_hook_[A-Za-z0-9_-]{43}$/

/** Everything but the secrets. */
export const forge = z.object({
  hook: z
    .object({
      url: url.describe('what the forge calls'),
      created_at: time,
      last_delivery_at: time.nullable().describe('of a push that started a run'),
    })
    .nullable()
    .describe('null: the forge’s webhook is not taken'),
  statuses: z
    .object({
      kind: forgeKind,
      api_url: url,
      created_at: time,
      last_sent_at: time.nullable(),
      problem: z.string().nullable().describe('why the last one could not be written; null: it could'),
    })
    .nullable()
    .describe('null: none are written'),
})
export type Forge = z.infer<typeof forge>

export const hookCreate = z.object({
  rotate: z.boolean().default(false).describe('in place of the one that is there, which no longer counts'),
})
export type HookCreate = z.infer<typeof hookCreate>

export const hookCreated = z.object({
  url: url.describe('for the webhook’s settings at the forge'),
  secret: z.string().regex(hookSecretPattern).describe('the same; shown this once only'),
})
export type HookCreated = z.infer<typeof hookCreated>

export const statusesSet = z
  .object({
    kind: forgeKind,
    api_url: url
      .max(500)
      .refine(text => !/[?#@]/.test(text), 'must be an address without user, query or fragment')
      .optional()
      .describe(`of its API; without it ${githubApiUrl}, for github only`),
    token: line.trim().min(1, 'must not be empty').max(500).describe('may write statuses of commits there'),
  })
  .refine(({ kind, api_url }) => kind === 'github' || api_url !== undefined, {
    path: ['api_url'],
    error: 'needed for gitea: its address, such as https://git.example.com',
  })
export type StatusesSet = z.infer<typeof statusesSet>

export const forgeDocument = document('forge', forge, {
  hook: {
    url: 'https://admin.example.com/api/hooks/hello',
    created_at: '2026-03-01T10:00:00Z',
    last_delivery_at: '2026-03-02T09:14:05Z',
  },
  statuses: {
    kind: 'github',
    api_url: githubApiUrl,
    created_at: '2026-03-01T10:05:00Z',
    last_sent_at: '2026-03-02T09:14:53Z',
    problem: null,
  },
})

export const hookCreateDocument = document('hook-create', hookCreate, { rotate: true })

export const hookCreatedDocument = document('hook-created', hookCreated, {
  url: 'https://admin.example.com/api/hooks/hello',
  secret: 'qd_hook_3q2-7wAAAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBk',
})

export const statusesSetDocument = document('statuses-set', statusesSet, {
  kind: 'gitea',
  api_url: 'https://git.example.com',
  token: '0123456789abcdef0123456789abcdef01234567',
})
