/** What is often written in incidents, under a name. */
import { z } from 'zod'
import { document } from './document.ts'
import { impact, noticeName, noticeServices, noticeText } from './incident.ts'
import { page, slug, time } from './wire.ts'

export const incidentTemplateSet = z.object({
  title: noticeName.describe('the name of the incident'),
  impact: impact.default('minor'),
  body: noticeText,
  service_ids: noticeServices.default([]),
})
export type IncidentTemplateSet = z.output<typeof incidentTemplateSet>

const example = {
  title: 'Hello answers slowly',
  impact: 'minor' as const,
  body: 'Answers take several seconds. We are looking into it.',
  service_ids: ['hello'],
}

export const incidentTemplateSetDocument = document('incident-template-set', incidentTemplateSet, example)

export const incidentTemplate = incidentTemplateSet.extend({ name: slug, updated_at: time })
export type IncidentTemplate = z.output<typeof incidentTemplate>

const whole = { ...example, name: 'slow', updated_at: '2026-03-02T08:00:00Z' }

export const incidentTemplateDocument = document('incident-template', incidentTemplate, whole)

export const incidentTemplatePageDocument = document('incident-template-page', page(incidentTemplate), {
  items: [whole],
  next_cursor: null,
})
