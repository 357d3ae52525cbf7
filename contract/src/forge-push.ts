/** A push as the webhooks of GitHub, Gitea and Forgejo tell of it. What else they send is dropped, not refused. */
import { z } from 'zod'
import { document } from './document.ts'
import { repository, sha } from './wire.ts'

const name = z.string().optional()

export const forgePush = z.object({
  ref: z.string().min(1).max(1000).describe('what was pushed, whole: refs/heads/main'),
  before: sha.describe('where it was; only zeros: it is new'),
  after: sha.describe('where it is now; only zeros: it was deleted'),
  deleted: z.boolean().default(false),
  repository: z.object({ full_name: repository }),
  pusher: z
    .object({ name, login: name, username: name })
    .nullish()
    .describe('who pushed; of all, one is enough'),
})
export type ForgePush = z.infer<typeof forgePush>

export const forgePushDocument = document('forge-push', forgePush, {
  ref: 'refs/heads/main',
  before: '9b1d7e30c2a84f56b0e3d9c1a7f24865e0b3c9d2',
  after: '4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394',
  deleted: false,
  repository: { full_name: 'acme/hello' },
  pusher: { name: 'ana' },
})

/** The answer where a forge's call starts no run. */
export const hookIgnored = z.object({ ignored: z.string().describe('one sentence: why nothing is done') })
export type HookIgnored = z.infer<typeof hookIgnored>

export const hookIgnoredDocument = document('hook-ignored', hookIgnored, {
  ignored: 'The push is to next, and hello is deployed from main.',
})
