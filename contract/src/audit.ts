/** The audit: who did what, to what, when and from where. */
import { z } from 'zod'
import { document } from './document.ts'
import { id, page, time } from './wire.ts'

export const auditEntry = z.object({
  id: id.describe('of the event it tells of'),
  at: time,
  by: z.string(),
  from: z.string().nullable(),
  action: z.string().describe('the event’s type'),
  subject: z.string(),
  request_id: z.string().nullable(),
  data: z.record(z.string(), z.json()),
})
export type AuditEntry = z.infer<typeof auditEntry>

export const auditPageDocument = document('audit-page', page(auditEntry), {
  items: [
    {
      id: '019a8f5e-6c1b-7d3a-9f10-2b8c4d5e6f70',
      at: '2026-11-15T09:00:00Z',
      by: 'operator:operator.token',
      from: '203.0.113.9',
      action: 'token.created',
      subject: 'token/019a8f5e-6c1b-7d3a-9f10-2b8c4d5e6f71',
      request_id: '019a8f5e-6c1b-7d3a-9f10-2b8c4d5e6f72',
      data: { kind: 'operator', label: 'Ana’s laptop' },
    },
  ],
  next_cursor: null,
})
