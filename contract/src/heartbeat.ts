/** Heartbeats that are expected here: a job that falls silent is an alert. */
import { z } from 'zod'
import { severity } from './alert.ts'
import { document } from './document.ts'
import { page, slug, time } from './wire.ts'

export const heartbeatSet = z.object({
  every_s: z
    .int()
    .min(10)
    .max(366 * 86_400)
    .describe('how often it is expected'),
  grace_s: z.int().min(0).max(86_400).default(60).describe('how late it may be'),
  severity: severity.default('critical'),
})
export type HeartbeatSet = z.infer<typeof heartbeatSet>

export const heartbeat = heartbeatSet.extend({
  name: slug,
  last_at: time.nullable(),
  due_at: time.describe('without one by then it is an alert'),
  state: z.enum(['waiting', 'ok', 'missing']).describe('waiting: none has come yet'),
  created_at: time,
})
export type Heartbeat = z.infer<typeof heartbeat>

export const heartbeatDocument = document('heartbeat', heartbeat, {
  name: 'nightly-backup',
  every_s: 86_400,
  grace_s: 3600,
  severity: 'critical',
  last_at: '2026-03-02T03:30:12Z',
  due_at: '2026-03-03T04:30:12Z',
  state: 'ok',
  created_at: '2026-03-01T10:00:00Z',
})

export const heartbeatPageDocument = document('heartbeat-page', page(heartbeat), {
  items: [heartbeatDocument.example],
  next_cursor: null,
})

export const heartbeatSetDocument = document('heartbeat-set', heartbeatSet, {
  every_s: 86_400,
  grace_s: 3600,
})
