/** Who the caller is, as control sees them. */
import { z } from 'zod'
import { document } from './document.ts'
import { slug } from './wire.ts'

/** From the least to the most. `deploy` is a deploy token, for its own project alone. */
export const roles = ['nobody', 'deploy', 'viewer', 'deployer', 'operator'] as const
export type Role = (typeof roles)[number]

export const session = z.object({
  role: z.enum(roles),
  name: z.string().nullable().describe('the token’s label or the person’s name; null for nobody'),
  projects: z.array(slug).nullable().describe('the projects the role is limited to; null: no limit'),
})
export type Session = z.infer<typeof session>

export const sessionDocument = document('session', session, {
  role: 'operator',
  name: 'operator.token',
  projects: null,
})
