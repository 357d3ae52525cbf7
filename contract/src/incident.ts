/** An incident: what people write on the status page while something is wrong. */
import { z } from 'zod'
import { document } from './document.ts'
import { id, line, page, slug, time } from './wire.ts'

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

/** Text for people, in a small Markdown: paragraphs, links, emphasis, code. */
export const noticeText = z
  .string()
  .trim()
  .min(1)
  .max(10_000)
  .regex(/^(\P{Cc}|[\n\r\t])*$/u, 'must be text without control characters')
export const noticeName = line.trim().min(1).max(200)
export const noticeServices = z.array(slug).max(1000)

/** As those who write it see it. */
export const incidentEntry = incident.extend({
  draft: z.boolean().describe('seen by nobody but those who write it'),
  source: z.string().nullable().describe('what has opened it, such as an alert'),
  created_at: time,
  updated_at: time,
})
export type IncidentEntry = z.infer<typeof incidentEntry>

const incidentEntryExample: IncidentEntry = {
  ...incidentDocument.example,
  draft: false,
  source: null,
  created_at: '2026-03-02T09:13:00Z',
  updated_at: '2026-03-02T09:15:00Z',
}

export const incidentEntryDocument = document('incident-entry', incidentEntry, incidentEntryExample)

export const incidentEntryPageDocument = document('incident-entry-page', page(incidentEntry), {
  items: [incidentEntryExample],
  next_cursor: null,
})

export const incidentCreate = z.object({
  template: slug.optional().describe('gives what is not said here'),
  name: noticeName.optional().describe('needed without a template'),
  status: incidentStatus.default('investigating'),
  impact: impact.optional().describe('minor, if neither this nor a template says it'),
  body: noticeText
    .optional()
    .describe('its first update; needed unless a template gives it or it is a draft'),
  service_ids: noticeServices.optional(),
  started_at: time.optional().describe('now, if it is not said'),
  draft: z.boolean().default(false),
})
export type IncidentCreate = z.output<typeof incidentCreate>

export const incidentCreateDocument = document('incident-create', incidentCreate, {
  name: 'Hello answers slowly',
  impact: 'minor',
  body: 'Answers take several seconds. We are looking into it.',
  service_ids: ['hello'],
})

export const incidentChange = z.strictObject({
  name: noticeName.optional(),
  impact: impact.optional(),
  service_ids: noticeServices.optional(),
  draft: z.literal(false).optional().describe('publishes it'),
})
export type IncidentChange = z.output<typeof incidentChange>

export const incidentChangeDocument = document('incident-change', incidentChange, { draft: false })

export const incidentUpdateCreate = z.object({
  status: incidentStatus.optional().describe('as it was, if it is not said; resolved ends the incident'),
  body: noticeText,
})
export type IncidentUpdateCreate = z.output<typeof incidentUpdateCreate>

export const incidentUpdateCreateDocument = document('incident-update-create', incidentUpdateCreate, {
  status: 'resolved',
  body: 'There is room on the disk again.',
})
