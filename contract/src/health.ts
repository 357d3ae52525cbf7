/** Health object, the answer of /healthz and /readyz. Exact by the specification: no other field. */
import { z } from 'zod'
import { document } from './document.ts'

export const health = z.strictObject({
  ok: z.boolean().describe('true when the service is healthy / ready'),
})
export type Health = z.infer<typeof health>

export const healthDocument = document('health', health, { ok: true })
