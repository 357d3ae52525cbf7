/** What people and programs ask for beside the deploy webhook: a deploy, a rollback, a hold. */
import { z } from 'zod'
import { document } from './document.ts'
import { id, line, ref } from './wire.ts'

export const runRequest = z.object({
  ref: ref.optional().describe('a commit on the branch; without it the newest'),
  discard: z
    .boolean()
    .default(false)
    .describe('give up changes and commits that someone left in the working copy on the machine'),
})
export type RunRequest = z.infer<typeof runRequest>

export const runRequestDocument = document('run-request', runRequest, {
  ref: '4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394',
})

const reason = line.trim().max(200).optional().describe('for those who wonder')

/** Without `to` and `run`: to what was proven to run before what runs now. */
export const rollbackRequest = z
  .object({
    to: ref.optional().describe('a commit on the branch'),
    run: id.optional().describe('an earlier run: to the commit that it deployed'),
    secrets: z
      .boolean()
      .default(false)
      .describe('secrets as they were then, too; other variables go back with the commit in any case'),
    hold: z.boolean().default(false).describe('let later pushes wait until the project is resumed'),
    reason,
  })
  .refine(({ to, run }) => to === undefined || run === undefined, {
    path: ['run'],
    error: 'either to or run, and not both',
  })
export type RollbackRequest = z.infer<typeof rollbackRequest>

export const rollbackRequestDocument = document('rollback-request', rollbackRequest, {
  to: '9b1d7e30c2a84f56b0e3d9c1a7f24865e0b3c9d2',
  hold: true,
  reason: 'checkout fails for everyone',
})

export const holdRequest = z.object({ reason })
export type HoldRequest = z.infer<typeof holdRequest>

export const holdRequestDocument = document('hold-request', holdRequest, { reason: 'until the sale is over' })
