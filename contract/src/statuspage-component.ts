/** A service or a group of services as Atlassian Statuspage publishes its components. */
import { z } from 'zod'
import { time } from './wire.ts'

/** Statuspage has no word for unknown. Unknown is not up, so it is told as degraded performance. */
export const statuspageComponentStatus = z.enum([
  'operational',
  'degraded_performance',
  'partial_outage',
  'major_outage',
  'under_maintenance',
])
export type StatuspageComponentStatus = z.infer<typeof statuspageComponentStatus>

export const statuspageComponent = z.object({
  id: z.string(),
  name: z.string(),
  status: statuspageComponentStatus,
  created_at: time,
  updated_at: time,
  position: z.int(),
  description: z.string().nullable(),
  showcase: z.boolean(),
  start_date: z.iso.date().nullable(),
  group_id: z.string().nullable().describe('null for a group itself'),
  page_id: z.string(),
  group: z.boolean(),
  only_show_if_degraded: z.boolean(),
  components: z.array(z.string()).optional().describe('ids of its components; groups only'),
})
export type StatuspageComponent = z.infer<typeof statuspageComponent>
