/** `alerts` of the configuration. */
import { z } from 'zod'

export const alertOptions = z.strictObject({
  group_by: z
    .array(z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, 'a label name'))
    .max(10)
    .default(['job', 'alertname'])
    .describe('Alerts with the same values of these labels share one message'),
  bundle_s: z.int().min(1).max(3600).default(30).describe('Alerts that come one after the other go together'),
  repeat_s: z
    .int()
    .min(60)
    .max(604_800)
    .default(14_400)
    .describe('What nobody acknowledges is told of again'),
  lease_s: z
    .int()
    .min(30)
    .max(86_400)
    .default(300)
    .describe('For what is reported without an end: then its source is lost'),
  inhibit_service_down: z
    .boolean()
    .default(false)
    .describe('ServiceDown, too, is quiet while what the service depends on is down'),
  heartbeat: z
    .strictObject({
      url: z.url({ protocol: /^https?$/, error: 'an http or https address' }),
      every_s: z.int().min(10).max(86_400).default(60),
    })
    .nullable()
    .default(null)
    .describe('Called for as long as alerts are kept: whoever is there misses us when we die'),
})
export type AlertOptions = z.infer<typeof alertOptions>
