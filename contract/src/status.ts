/** status.json: the state of every monitored service, and how well the watcher itself is. */
import { z } from 'zod'
import { document } from './document.ts'
import { incident, incidentDocument } from './incident.ts'
import { maintenance, maintenanceDocument } from './maintenance.ts'
import { service, serviceDocument } from './service.ts'
import { slug, time, url } from './wire.ts'

export const indicator = z.enum(['none', 'minor', 'major', 'critical', 'maintenance', 'unknown'])
export type Indicator = z.infer<typeof indicator>

export const observer = z.object({
  ok: z.boolean(),
  engine: z.enum(['embedded', 'prometheus']),
  since: time.nullable().describe('watching without a gap since then; null while it does not watch'),
  last_gap: z
    .object({ started_at: time, ended_at: time.nullable() })
    .nullable()
    .describe('when nobody watched last; ended_at is null while it lasts'),
})
export type Observer = z.infer<typeof observer>

export const serviceGroup = z.object({ id: slug, name: z.string().min(1), order: z.int() })
export type ServiceGroup = z.infer<typeof serviceGroup>

export const status = z.object({
  schema: z.literal(1),
  generated_at: time,
  next_update_at: time.describe('later than this, the document is stale'),
  page: z.object({ name: z.string().min(1), url, environment: z.string().min(1) }),
  status: z.object({ indicator, description: z.string() }),
  observer,
  groups: z.array(serviceGroup),
  services: z.array(service).describe('one entry per monitored service, in a stable order'),
  incidents: z.array(incident),
  maintenances: z.array(maintenance),
})
export type Status = z.infer<typeof status>

export const statusDocument = document('status', status, {
  schema: 1,
  generated_at: '2026-03-02T09:20:00Z',
  next_update_at: '2026-03-02T09:20:15Z',
  page: { name: 'Acme', url: 'https://status.example.com', environment: 'example.com' },
  status: { indicator: 'minor', description: 'Hello answers slowly' },
  observer: {
    ok: true,
    engine: 'embedded',
    since: '2026-02-27T03:12:40Z',
    last_gap: { started_at: '2026-02-27T03:12:05Z', ended_at: '2026-02-27T03:12:40Z' },
  },
  groups: [
    { id: 'production', name: 'Production', order: 1 },
    { id: 'control', name: 'Control', order: 2 },
    { id: 'development', name: 'Development', order: 3 },
  ],
  services: [
    {
      ...serviceDocument.example,
      status: 'degraded',
      since: '2026-03-02T09:13:00Z',
      reason: { code: 'timeout', message: '/readyz took longer than 5 s in 2 of the last 5 checks' },
    },
    {
      ...serviceDocument.example,
      id: 'database',
      name: 'Database',
      description: null,
      status: 'unknown',
      ok: null,
      since: null,
      last_checked_at: null,
      checks: { live: null, ready: null, metrics: null },
      version: null,
      instances: { total: 1, up: 0 },
      latency_ms: { p50: null, p95: null, p99: null },
      uptime: { '24h': null, '7d': null, '30d': null, '90d': null, '365d': null },
      coverage: { '24h': 0, '7d': 0, '30d': 0, '90d': 0, '365d': 0 },
      depends_on: [],
      links: {
        site: null,
        history: 'https://status.example.com/services/database.json',
        badge: 'https://status.example.com/badge/database.svg',
        runbook: null,
      },
    },
  ],
  incidents: [incidentDocument.example],
  maintenances: [maintenanceDocument.example],
})
