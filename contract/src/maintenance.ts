/** A maintenance: announced downtime. */
import { z } from 'zod'
import { document } from './document.ts'
import { noticeName, noticeServices, noticeText } from './incident.ts'
import { id, page, slug, time } from './wire.ts'

export const maintenanceStatus = z.enum(['scheduled', 'in_progress', 'verifying', 'completed'])
export type MaintenanceStatus = z.infer<typeof maintenanceStatus>

const maintenanceImpact = z.enum(['none', 'minor', 'major', 'critical', 'maintenance'])

export const maintenance = z.object({
  id,
  name: z.string().min(1),
  status: maintenanceStatus,
  impact: maintenanceImpact,
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

export const repeat = z.enum(['weekly', 'monthly'])
export type Repeat = z.infer<typeof repeat>

/** As those who plan it see it. */
export const maintenanceEntry = maintenance.extend({
  starts_at: time.describe('of the window that is under way or next, or of the last one'),
  repeat: repeat.nullable(),
  repeat_until: time.nullable().describe('no window begins after it; null: it goes on'),
  first_starts_at: time,
  first_ends_at: time,
  cancelled_at: time.nullable(),
  created_at: time,
  updated_at: time,
})
export type MaintenanceEntry = z.infer<typeof maintenanceEntry>

const maintenanceEntryExample: MaintenanceEntry = {
  ...maintenanceDocument.example,
  repeat: null,
  repeat_until: null,
  first_starts_at: '2026-03-07T22:00:00Z',
  first_ends_at: '2026-03-07T22:30:00Z',
  cancelled_at: null,
  created_at: '2026-03-02T08:00:00Z',
  updated_at: '2026-03-02T08:00:00Z',
}

export const maintenanceEntryDocument = document(
  'maintenance-entry',
  maintenanceEntry,
  maintenanceEntryExample,
)

export const maintenanceEntryPageDocument = document('maintenance-entry-page', page(maintenanceEntry), {
  items: [maintenanceEntryExample],
  next_cursor: null,
})

const plan = {
  name: noticeName,
  impact: maintenanceImpact.default('maintenance'),
  starts_at: time,
  ends_at: time,
  service_ids: noticeServices.default([]),
  repeat: repeat
    .nullable()
    .default(null)
    .describe(
      'at the same time of day, in the time zone of the environment; the 31st is the last day of shorter months',
    ),
  repeat_until: time.nullable().default(null),
}

export const maintenanceCreate = z.object({
  ...plan,
  body: noticeText.optional().describe('what is announced'),
})
export type MaintenanceCreate = z.output<typeof maintenanceCreate>

export const maintenanceCreateDocument = document('maintenance-create', maintenanceCreate, {
  name: 'web-1 gets more memory',
  body: 'Hello will be away for a few minutes within this half hour.',
  starts_at: '2026-03-07T22:00:00Z',
  ends_at: '2026-03-07T22:30:00Z',
  service_ids: ['hello'],
})

export const maintenanceChange = z.strictObject({
  name: noticeName.optional(),
  impact: maintenanceImpact.optional(),
  starts_at: time.optional(),
  ends_at: time.optional(),
  service_ids: noticeServices.optional(),
  repeat: repeat.nullable().optional(),
  repeat_until: time.nullable().optional(),
})
export type MaintenanceChange = z.output<typeof maintenanceChange>

export const maintenanceChangeDocument = document('maintenance-change', maintenanceChange, {
  ends_at: '2026-03-07T23:00:00Z',
})

export const maintenanceUpdateCreate = z.object({
  status: z
    .enum(['verifying', 'completed'])
    .optional()
    .describe('only while it is under way; completed ends this window early'),
  body: noticeText,
})
export type MaintenanceUpdateCreate = z.output<typeof maintenanceUpdateCreate>

export const maintenanceUpdateCreateDocument = document(
  'maintenance-update-create',
  maintenanceUpdateCreate,
  {
    status: 'completed',
    body: 'The memory is in.',
  },
)
