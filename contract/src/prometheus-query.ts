/** GET /api/v1/query of the metrics server. */
import { z } from 'zod'
import { document } from './document.ts'
import { prometheusSuccess } from './prometheus-api.ts'
import { labelSet } from './wire.ts'

/** Unix seconds and the value as text, since JSON has no NaN and no infinity. */
export const samplePair = z.tuple([z.number(), z.string()])
export type SamplePair = z.infer<typeof samplePair>

export const vectorResult = z.object({
  resultType: z.literal('vector'),
  result: z.array(z.object({ metric: labelSet, value: samplePair })),
})
export type VectorResult = z.infer<typeof vectorResult>

export const matrixResult = z.object({
  resultType: z.literal('matrix'),
  result: z.array(z.object({ metric: labelSet, values: z.array(samplePair) })),
})
export type MatrixResult = z.infer<typeof matrixResult>

export const scalarResult = z.object({ resultType: z.literal('scalar'), result: samplePair })
export type ScalarResult = z.infer<typeof scalarResult>

export const stringResult = z.object({ resultType: z.literal('string'), result: samplePair })
export type StringResult = z.infer<typeof stringResult>

export const prometheusQuery = prometheusSuccess(
  z.discriminatedUnion('resultType', [vectorResult, matrixResult, scalarResult, stringResult]),
)
export type PrometheusQuery = z.infer<typeof prometheusQuery>

export const prometheusQueryDocument = document('prometheus-query', prometheusQuery, {
  status: 'success',
  data: {
    resultType: 'vector',
    result: [
      {
        metric: { __name__: 'up', instance: 'web-1.example.com:8101', job: 'hello' },
        value: [1772443200.482, '1'],
      },
    ],
  },
})
