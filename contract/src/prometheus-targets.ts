/** GET /api/v1/targets of the metrics server. */
import { z } from 'zod'
import { document } from './document.ts'
import { prometheusSuccess } from './prometheus-api.ts'
import { labelSet, offsetTime, prometheusDuration } from './wire.ts'

export const activeTarget = z.object({
  discoveredLabels: labelSet,
  labels: labelSet,
  scrapePool: z.string().describe('the job_name'),
  scrapeUrl: z.string(),
  globalUrl: z.string().describe('scrapeUrl as another machine would write it'),
  lastError: z.string().describe('empty when the last scrape went well'),
  lastScrape: offsetTime.describe('year 1 before the first scrape'),
  lastScrapeDuration: z.number().min(0).describe('seconds'),
  health: z.enum(['up', 'down', 'unknown']),
  scrapeInterval: prometheusDuration,
  scrapeTimeout: prometheusDuration,
})
export type ActiveTarget = z.infer<typeof activeTarget>

export const droppedTarget = z.object({
  discoveredLabels: labelSet,
  scrapePool: z.string().optional(),
})
export type DroppedTarget = z.infer<typeof droppedTarget>

export const prometheusTargets = prometheusSuccess(
  z.object({
    activeTargets: z.array(activeTarget),
    droppedTargets: z.array(droppedTarget),
    droppedTargetCounts: z
      .record(z.string(), z.int().min(0))
      .nullish()
      .describe('by job; null when only active targets were asked for'),
  }),
)
export type PrometheusTargets = z.infer<typeof prometheusTargets>

export const prometheusTargetsDocument = document('prometheus-targets', prometheusTargets, {
  status: 'success',
  data: {
    activeTargets: [
      {
        discoveredLabels: {
          __address__: 'web-1.example.com:8101',
          __metrics_path__: '/metrics',
          __scheme__: 'http',
          __scrape_interval__: '15s',
          __scrape_timeout__: '10s',
          job: 'hello',
        },
        labels: { instance: 'web-1.example.com:8101', job: 'hello' },
        scrapePool: 'hello',
        scrapeUrl: 'http://web-1.example.com:8101/metrics',
        globalUrl: 'http://web-1.example.com:8101/metrics',
        lastError: '',
        lastScrape: '2026-03-02T09:19:50.482119347Z',
        lastScrapeDuration: 0.0068,
        health: 'up',
        scrapeInterval: '15s',
        scrapeTimeout: '10s',
      },
    ],
    droppedTargets: [],
    droppedTargetCounts: { hello: 0 },
  },
})
