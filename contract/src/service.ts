/** A service as status.json shows it: what is known of it, and null for what is not. */
import { z } from 'zod'
import { document } from './document.ts'
import { ratio, slug, time, url } from './wire.ts'

export const serviceStatus = z.enum([
  'operational',
  'degraded',
  'partial_outage',
  'outage',
  'maintenance',
  'unknown',
])
export type ServiceStatus = z.infer<typeof serviceStatus>

export const reasonCode = z.enum(['dns', 'connect', 'tls', 'timeout', 'http', 'body', 'stale', 'version'])
export type ReasonCode = z.infer<typeof reasonCode>

const milliseconds = z.number().min(0)

export const check = z.object({
  ok: z.boolean(),
  at: time,
  latency_ms: milliseconds.nullable(),
  http_status: z.int().min(100).max(599).nullable().describe('null when no answer came'),
})
export type Check = z.infer<typeof check>

/** The windows that uptime and coverage are given for. */
export const windows = ['24h', '7d', '30d', '90d', '365d'] as const
export type Window = (typeof windows)[number]

const perWindow = z.object({
  '24h': ratio.nullable(),
  '7d': ratio.nullable(),
  '30d': ratio.nullable(),
  '90d': ratio.nullable(),
  '365d': ratio.nullable(),
} satisfies Record<Window, z.ZodType>)

export const service = z
  .object({
    id: slug.describe('also the Prometheus job'),
    name: z.string().min(1),
    group: slug,
    description: z.string().nullable(),
    status: serviceStatus,
    ok: z.boolean().nullable().describe('null when it is not known'),
    since: time.nullable().describe('when it took this status'),
    last_checked_at: time.nullable(),
    reason: z
      .object({ code: reasonCode, message: z.string().describe('without inner addresses') })
      .nullable()
      .describe('why it is not operational, where the checks tell'),
    checks: z.object({
      live: check.nullable(),
      ready: check.nullable(),
      metrics: check.nullable().describe('null as well for a service without metrics'),
    }),
    version: z
      .object({
        name: z.string(),
        sha: z.string().describe('as the service says it'),
        observed_at: time,
        deployed_at: time.nullable().describe('null when it was not deployed from here'),
      })
      .nullable(),
    instances: z.object({ total: z.int().min(0), up: z.int().min(0) }),
    latency_ms: z
      .object({
        p50: milliseconds.nullable(),
        p95: milliseconds.nullable(),
        p99: milliseconds.nullable(),
      })
      .describe('over the last hour'),
    uptime: perWindow.describe('share of the observed time that it was up; null when none was observed'),
    coverage: perWindow.describe('share of the time that was observed'),
    depends_on: z.array(slug),
    suppressed_by: slug.nullable().describe('the service whose outage explains this one'),
    links: z.object({
      site: url.nullable(),
      history: url,
      badge: url,
      runbook: url.nullable(),
    }),
  })
  .refine(({ status, ok }) => status !== 'unknown' || ok === null, {
    path: ['ok'],
    error: 'unknown is neither up nor down: ok is null',
  })
export type Service = z.infer<typeof service>

export const serviceDocument = document('service', service, {
  id: 'hello',
  name: 'Hello',
  group: 'production',
  description: 'Greets everybody',
  status: 'operational',
  ok: true,
  since: '2026-03-02T08:00:00Z',
  last_checked_at: '2026-03-02T09:19:55Z',
  reason: null,
  checks: {
    live: { ok: true, at: '2026-03-02T09:19:55Z', latency_ms: 3.2, http_status: 200 },
    ready: { ok: true, at: '2026-03-02T09:19:55Z', latency_ms: 4.1, http_status: 200 },
    metrics: { ok: true, at: '2026-03-02T09:19:50Z', latency_ms: 6.8, http_status: 200 },
  },
  version: {
    name: 'hello',
    sha: '9b1d7e30c2a84f56b0e3d9c1a7f24865e0b3c9d2',
    observed_at: '2026-03-02T09:19:55Z',
    deployed_at: '2026-03-02T08:00:00Z',
  },
  instances: { total: 1, up: 1 },
  latency_ms: { p50: 3.1, p95: 9.4, p99: 22 },
  uptime: { '24h': 1, '7d': 0.99983, '30d': 0.99991, '90d': null, '365d': null },
  coverage: { '24h': 1, '7d': 0.998, '30d': 0.33, '90d': 0, '365d': 0 },
  depends_on: ['database'],
  suppressed_by: null,
  links: {
    site: 'https://hello.example.com',
    history: 'https://status.example.com/services/hello.json',
    badge: 'https://status.example.com/badge/hello.svg',
    runbook: 'https://docs.example.com/runbooks/hello',
  },
})
