/** A maintenance: announced downtime. */
import { z } from 'zod'
import { document } from './document.ts'
import { id, slug, time } from './wire.ts'

export const maintenanceStatus = z.enum(['scheduled', 'in_progress', 'verifying', 'completed'])
export type MaintenanceStatus = z.infer<typeof maintenanceStatus>

export const maintenance = z.object({
  id,
  name: z.string().min(1),
  status: maintenanceStatus,
  impact: z.enum(['none', 'minor', 'major', 'critical', 'maintenance']),
  starts_at: time,
  ends_at: time,
  service_ids: z.array(slug),
  updates: z
    .array(z.object({ id, status: maintenanceStatus, body: z.string().min(1), created_at: time }))
    .describe('newest first'),
})
export type Maintenance = z.infer<typeof maintenance>

export const maintenanceDocument = document('maintenance', maintenance, {
  id: '019cad8f-ac00-7e46-a1c3-5b7d9f0e2a48',
  name: 'web-1 gets more memory',
  status: 'scheduled',
  impact: 'maintenance',
  starts_at: '2026-03-07T22:00:00Z',
  ends_at: '2026-03-07T22:30:00Z',
  service_ids: ['hello'],
  updates: [
    {
      id: '019cad8f-ac00-7b19-8d2e-6f8a0c1b3d57',
      status: 'scheduled',
      body: 'Hello will be away for a few minutes within this half hour.',
      created_at: '2026-03-02T08:00:00Z',
    },
  ],
})
