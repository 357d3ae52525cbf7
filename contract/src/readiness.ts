/** Why a host is ready or not: what /readyz leaves out. */
import { z } from 'zod'
import { document } from './document.ts'
import { time } from './wire.ts'

export const readiness = z.object({
  ok: z.boolean(),
  at: time,
  checks: z.array(
    z.object({
      name: z.string(),
      ok: z.boolean(),
      took_ms: z.number(),
      reason: z.string().nullable().describe('why not; null when ok'),
    }),
  ),
})
export type Readiness = z.infer<typeof readiness>

export const readinessDocument = document('readiness', readiness, {
  ok: false,
  at: '2026-11-15T09:00:00Z',
  checks: [{ name: 'store', ok: false, took_ms: 1000, reason: 'no answer within 1000 ms' }],
})
