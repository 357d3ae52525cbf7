/** The envelope in which Prometheus' HTTP API v1 answers. */
import { z } from 'zod'
import { document } from './document.ts'

export const prometheusSuccess = <Data extends z.ZodType>(data: Data) =>
  z.object({
    status: z.literal('success'),
    data,
    warnings: z.array(z.string()).optional(),
    infos: z.array(z.string()).optional(),
  })

export const prometheusError = z.object({
  status: z.literal('error'),
  errorType: z
    .string()
    .describe('bad_data, execution, timeout, canceled, not_found, unavailable or internal'),
  error: z.string(),
})
export type PrometheusError = z.infer<typeof prometheusError>

export const prometheusErrorDocument = document('prometheus-error', prometheusError, {
  status: 'error',
  errorType: 'bad_data',
  error: 'invalid parameter "query": unknown function with name "ratee"',
})
