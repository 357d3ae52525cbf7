/**
 * The part of prometheus.yml that is used. Strict, like Prometheus' own reader: a key that is not known here would
 * change what is scraped, so it is refused by name and never ignored.
 */
import { z } from 'zod'
import { document } from './document.ts'
import { allDifferent, labelSet, prometheusDuration } from './wire.ts'

const scheme = z.enum(['http', 'https'])

export const staticConfig = z.strictObject({
  targets: z.array(z.string().regex(/^[^\s/]+$/, 'of the form host:port')),
  labels: labelSet.optional(),
})
export type StaticConfig = z.infer<typeof staticConfig>

export const scrapeJob = z.strictObject({
  job_name: z.string().min(1),
  static_configs: z.array(staticConfig).default([]),
  metrics_path: z.string().regex(/^\//, 'a path, starting with a slash').default('/metrics'),
  scheme: scheme.default('http'),
  scrape_interval: prometheusDuration.optional().describe('by default the global one'),
  scrape_timeout: prometheusDuration.optional().describe('by default the global one'),
  authorization: z
    .strictObject({
      type: z.string().default('Bearer'),
      credentials: z.string().optional(),
      credentials_file: z.string().optional(),
    })
    .optional()
    .describe('for a service whose metrics ask for a token'),
})
export type ScrapeJob = z.infer<typeof scrapeJob>

const global = z.strictObject({
  scrape_interval: prometheusDuration.default('1m'),
  scrape_timeout: prometheusDuration.default('10s'),
  evaluation_interval: prometheusDuration.default('1m'),
  external_labels: labelSet.optional(),
})

const alertmanager = z.strictObject({
  static_configs: z.array(staticConfig),
  scheme: scheme.default('http'),
  path_prefix: z.string().default('/'),
  api_version: z.literal('v2').default('v2'),
  timeout: prometheusDuration.default('10s'),
})

export const scrapeConfig = z.strictObject({
  global: global.prefault({}),
  rule_files: z.array(z.string().min(1)).default([]).describe('paths or globs, seen from this file'),
  scrape_configs: z
    .array(scrapeJob)
    .refine(jobs => allDifferent(jobs.map(job => job.job_name)), 'every job has its own job_name')
    .default([]),
  alerting: z.strictObject({ alertmanagers: z.array(alertmanager) }).optional(),
})
export type ScrapeConfig = z.infer<typeof scrapeConfig>

export const scrapeConfigDocument = document('scrape-config', scrapeConfig, {
  global: { scrape_interval: '15s', scrape_timeout: '10s', evaluation_interval: '15s' },
  rule_files: ['rules/*.yml'],
  scrape_configs: [
    {
      job_name: 'hello',
      metrics_path: '/metrics',
      static_configs: [{ targets: ['web-1.example.com:8101'], labels: { group: 'production' } }],
    },
  ],
  alerting: { alertmanagers: [{ static_configs: [{ targets: ['127.0.0.1:8300'] }] }] },
})
