/** Silences: alerts that match are not told of until it ends. */
import { z } from 'zod'
import { document } from './document.ts'
import { matcher } from './matcher.ts'
import { id, line, page, time } from './wire.ts'

export const silence = z.object({
  id,
  matchers: z.array(z.string()).min(1).describe('all of them have to match'),
  starts_at: time,
  ends_at: time,
  comment: z.string(),
  created_by: z.string(),
  created_at: time,
  state: z.enum(['pending', 'active', 'ended']),
})
export type Silence = z.infer<typeof silence>

export const silenceCreate = z
  .object({
    matchers: z.array(matcher).min(1).max(20).describe('as Alertmanager writes them; all have to match'),
    starts_at: time.optional().describe('without it: now'),
    ends_at: time,
    comment: line.trim().min(1, 'must say why').max(500),
  })
  .refine(({ starts_at, ends_at }) => starts_at === undefined || starts_at < ends_at, {
    path: ['ends_at'],
    error: 'must be after starts_at',
  })
export type SilenceCreate = z.infer<typeof silenceCreate>

const matchers = ['job="hello"', 'severity=~"warning|info"']

export const silenceDocument = document('silence', silence, {
  id: '019cadd8-3b20-7e11-a0c7-2f4d6b8e1c35',
  matchers,
  starts_at: '2026-03-02T09:20:00Z',
  ends_at: '2026-03-02T10:20:00Z',
  comment: 'the disk is being replaced',
  created_by: 'operator:Ana’s laptop',
  created_at: '2026-03-02T09:20:00Z',
  state: 'active',
})

export const silencePageDocument = document('silence-page', page(silence), {
  items: [silenceDocument.example],
  next_cursor: null,
})

export const silenceCreateDocument = document('silence-create', silenceCreate, {
  matchers,
  ends_at: '2026-03-02T10:20:00Z',
  comment: 'the disk is being replaced',
})
