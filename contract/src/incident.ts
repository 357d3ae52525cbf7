/** An incident: what people write on the status page while something is wrong. */
import { z } from 'zod'
import { document } from './document.ts'
import { id, slug, time } from './wire.ts'

export const incidentStatus = z.enum(['investigating', 'identified', 'monitoring', 'resolved'])
export type IncidentStatus = z.infer<typeof incidentStatus>

export const impact = z.enum(['none', 'minor', 'major', 'critical'])
export type Impact = z.infer<typeof impact>

export const incident = z.object({
  id,
  name: z.string().min(1),
  status: incidentStatus,
  impact,
  started_at: time,
  ends_at: time.nullable().describe('null until it is resolved'),
  service_ids: z.array(slug),
  updates: z
    .array(z.object({ id, status: incidentStatus, body: z.string().min(1), created_at: time }))
    .describe('newest first'),
})
export type Incident = z.infer<typeof incident>

export const incidentDocument = document('incident', incident, {
  id: '019cadd2-8160-7f0a-b2d4-8c6e1f3a5b79',
  name: 'Hello answers slowly',
  status: 'identified',
  impact: 'minor',
  started_at: '2026-03-02T09:13:00Z',
  ends_at: null,
  service_ids: ['hello'],
  updates: [
    {
      id: '019cadd4-5620-7a31-9e5c-2d4f6b8a0c1e',
      status: 'identified',
      body: 'The disk of web-1 is full. We are making room.',
      created_at: '2026-03-02T09:15:00Z',
    },
    {
      id: '019cadd2-8160-7d83-8b1f-3e5a7c9d0f24',
      status: 'investigating',
      body: 'Answers take several seconds. We are looking into it.',
      created_at: '2026-03-02T09:13:00Z',
    },
  ],
})
