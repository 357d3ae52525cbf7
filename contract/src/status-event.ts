/** What /events of the status host tells: what is different, as server-sent events named `services` and `notices`. */
import { z } from 'zod'
import { document } from './document.ts'
import { incident, incidentDocument } from './incident.ts'
import { maintenance, maintenanceDocument } from './maintenance.ts'
import { service, serviceDocument } from './service.ts'
import { indicator } from './status.ts'
import { slug, time } from './wire.ts'

const overall = z.object({ indicator, description: z.string() })

export const servicesEvent = z.object({
  at: time,
  status: overall,
  services: z.array(service).describe('those that are new or have another status, whole'),
  removed: z.array(slug).describe('those that are watched no more'),
})
export type ServicesEvent = z.infer<typeof servicesEvent>

export const servicesEventDocument = document('services-event', servicesEvent, {
  at: '2026-03-02T09:20:00Z',
  status: { indicator: 'none', description: 'All services are operational' },
  services: [serviceDocument.example],
  removed: [],
})

export const noticesEvent = z.object({
  at: time,
  status: overall,
  incidents: z.array(incident).describe('all that status.json shows'),
  maintenances: z.array(maintenance).describe('all that status.json shows'),
})
export type NoticesEvent = z.infer<typeof noticesEvent>

export const noticesEventDocument = document('notices-event', noticesEvent, {
  at: '2026-03-02T09:20:00Z',
  status: { indicator: 'minor', description: 'Hello answers slowly' },
  incidents: [incidentDocument.example],
  maintenances: [maintenanceDocument.example],
})
