/** Deploy tokens, the DEPLOY_TOKEN of one project: shown once when made, afterwards known by id and label. */
import { z } from 'zod'
import { document } from './document.ts'
import { id, page, time } from './wire.ts'

const label = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(100)
  .describe('whose it is; a run names its caller by it')
const expiresAt = time.nullable().describe('null: it lasts until it is revoked')

export const deployTokenCreate = z.object({ label, expires_at: expiresAt.optional() })
export type DeployTokenCreate = z.infer<typeof deployTokenCreate>

/** The only answer that ever holds the token. */
export const deployTokenCreated = z.object({
  id,
  label,
  token: z
    .string()
    .regex(/^qd_deploy_[A-Za-z0-9_-]{43}$/)
    .describe('shown this once only'),
  expires_at: expiresAt,
})
export type DeployTokenCreated = z.infer<typeof deployTokenCreated>

export const deployToken = z.object({
  id,
  label,
  created_at: time,
  expires_at: expiresAt,
  last_used_at: time.nullable(),
  revoked_at: time.nullable(),
})
export type DeployToken = z.infer<typeof deployToken>

export const deployTokenPage = page(deployToken)
export type DeployTokenPage = z.infer<typeof deployTokenPage>

const exampleId = '019c7a7d-f100-7b52-8e07-41c8d3aa9f26'

export const deployTokenCreateDocument = document('deploy-token-create', deployTokenCreate, {
  label: 'ci',
  expires_at: '2027-02-20T10:00:00Z',
})

export const deployTokenCreatedDocument = document('deploy-token-created', deployTokenCreated, {
  id: exampleId,
  label: 'ci',
  token: 'qd_deploy_ZXhhbXBsZS1vbmx5LW5vdC1hLXJlYWwtdG9rZW4tMDE',
  expires_at: '2027-02-20T10:00:00Z',
})

export const deployTokenDocument = document('deploy-token', deployToken, {
  id: exampleId,
  label: 'ci',
  created_at: '2026-02-20T10:00:00Z',
  expires_at: '2027-02-20T10:00:00Z',
  last_used_at: '2026-03-02T09:14:05Z',
  revoked_at: null,
})

export const deployTokenPageDocument = document('deploy-token-page', deployTokenPage, {
  items: [deployTokenDocument.example],
  next_cursor: null,
})
