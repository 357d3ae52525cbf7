/** Services as the admin API lists them: of projects, watched only, and the environment’s own. */
import { z } from 'zod'
import { document } from './document.ts'
import { byServiceId, operation, pageQuery } from './operation.ts'
import { reasonCode } from './service.ts'
import { watchedChangeDocument, watchedCreateDocument, watchedSettings } from './watched-service.ts'
import { page, slug, time, url } from './wire.ts'

export const serviceKind = z
  .enum(['project', 'watched', 'own'])
  .describe('of a project; watched only; or of the environment itself')
export type ServiceKind = z.infer<typeof serviceKind>

const watched = watchedSettings
  .pick({ expect: true, interval_s: true, timeout_s: true, is_kit: true, links: true })
  .extend({
    header_names: z.array(z.string()).describe('of what is sent with every request; values are not shown'),
    created_at: time,
    updated_at: time,
  })

export const serviceEntry = z.object({
  id: slug.describe('also the Prometheus job'),
  kind: serviceKind,
  name: z.string(),
  group: slug,
  description: z.string().nullable(),
  url: url.nullable().describe('where it is asked or found; null: it has no address of its own'),
  depends_on: z.array(slug),
  runbook: z.string().nullable(),
  watched: watched.nullable().describe('how it is watched; null unless it is watched only'),
})
export type ServiceEntry = z.infer<typeof serviceEntry>

const example: ServiceEntry = {
  id: 'payments',
  kind: 'watched',
  name: 'Payments',
  group: 'production',
  description: null,
  url: 'https://api.payments.example/health',
  depends_on: [],
  runbook: 'runbooks/payments',
  watched: {
    expect: { status: '200-299', json: [{ path: '/ok', equals: true }], certificate_days: 21 },
    interval_s: 15,
    timeout_s: 5,
    is_kit: false,
    links: [],
    header_names: ['authorization'],
    created_at: '2026-11-15T09:00:00Z',
    updated_at: '2026-11-15T09:00:00Z',
  },
}

export const serviceEntryDocument = document('service-entry', serviceEntry, example)

export const serviceEntryPageDocument = document('service-entry-page', page(serviceEntry), {
  items: [example],
  next_cursor: null,
})

const reason = z.object({ code: reasonCode, message: z.string() })

export const serviceLook = z.object({
  ok: z.boolean(),
  http_status: z.int().nullable().describe('null when no answer came'),
  latency_ms: z.number().min(0).nullable(),
  reason: reason.nullable().describe('why it is not well'),
  warning: reason.nullable().describe('it is well, but not for long: its certificate ends soon'),
  certificate_ends: time.nullable(),
  redirects: z.int().min(0).describe('how many were followed'),
})
export type ServiceLook = z.infer<typeof serviceLook>

export const serviceLookDocument = document('service-look', serviceLook, {
  ok: false,
  http_status: 503,
  latency_ms: 12.5,
  reason: { code: 'http', message: 'It answers 503, not 200-299.' },
  warning: null,
  certificate_ends: '2027-01-20T12:00:00Z',
  redirects: 0,
})

export const serviceOperations = {
  listServices: operation({
    method: 'GET',
    path: '/api/services',
    summary: 'All services, by id: of projects, watched only, and the environment’s own',
    query: pageQuery.extend({ kind: serviceKind.optional() }),
    answer: { status: 200, document: serviceEntryPageDocument },
  }),
  watchService: operation({
    method: 'POST',
    path: '/api/services',
    summary: 'Watch a service at an address',
    body: watchedCreateDocument,
    answer: { status: 201, document: serviceEntryDocument },
  }),
  readService: operation({
    method: 'GET',
    path: '/api/services/{id}',
    summary: 'A service',
    params: byServiceId,
    answer: { status: 200, document: serviceEntryDocument },
  }),
  changeService: operation({
    method: 'PATCH',
    path: '/api/services/{id}',
    summary: 'Change how a service is watched',
    params: byServiceId,
    body: watchedChangeDocument,
    answer: { status: 200, document: serviceEntryDocument },
  }),
  removeService: operation({
    method: 'DELETE',
    path: '/api/services/{id}',
    summary: 'Watch a service no more',
    params: byServiceId,
    answer: { status: 204 },
  }),
  lookAtService: operation({
    method: 'POST',
    path: '/api/services/{id}/look',
    summary: 'Look at a service that is watched only, at once, and tell what is seen',
    params: byServiceId,
    answer: { status: 200, document: serviceLookDocument },
  }),
} as const
