import { expect, test } from 'vitest'
import type { z } from 'zod'
import { windows } from './service.ts'
import { serviceHistory, serviceHistoryDocument } from './service-history.ts'
import { status, statusDocument } from './status.ts'

const { example } = statusDocument
const [hello, database] = example.services
const withService = (service: object) => ({ ...example, services: [service] })

test('a reader tolerates fields that were added', () => {
  expect(refusals(status, { ...withService({ ...hello, mood: 'good' }), weather: 'fair' })).toEqual([])
})

test.each([
  { what: 'another schema', value: { ...example, schema: 2 }, where: 'schema' },
  {
    what: 'a local time',
    value: { ...example, generated_at: '2026-03-02T10:20:00+01:00' },
    where: 'generated_at',
  },
  { what: 'no services', value: { ...example, services: undefined }, where: 'services' },
  {
    what: 'a status of its own',
    value: withService({ ...hello, status: 'fine' }),
    where: 'services.0.status',
  },
  { what: 'ok in words', value: withService({ ...hello, ok: 'yes' }), where: 'services.0.ok' },
  { what: 'ok left out', value: withService({ ...hello, ok: undefined }), where: 'services.0.ok' },
  { what: 'unknown but up', value: withService({ ...database, ok: true }), where: 'services.0.ok' },
  { what: 'unknown but down', value: withService({ ...database, ok: false }), where: 'services.0.ok' },
  {
    what: 'uptime in percent',
    value: withService({ ...hello, uptime: { ...hello?.uptime, '7d': 99.98 } }),
    where: 'services.0.uptime.7d',
  },
])('$what is refused', ({ value, where }) => {
  expect(refusals(status, value)).toEqual([where])
})

test.each(windows)('uptime and coverage are given for %s, or null', window => {
  const without = { [window]: undefined }
  const value = withService({
    ...hello,
    uptime: { ...hello?.uptime, ...without },
    coverage: { ...hello?.coverage, ...without },
  })
  expect(refusals(status, value)).toEqual([`services.0.uptime.${window}`, `services.0.coverage.${window}`])
})

test('a history has 90 days, oldest first, and its entry keeps the rules of status.json', () => {
  const { example } = serviceHistoryDocument
  const dates = example.history.map(({ date }) => date)
  expect(dates).toEqual(dates.toSorted())
  expect([dates.at(0), dates.at(-1)]).toEqual(['2025-12-03', '2026-03-02'])
  expect(refusals(serviceHistory, { ...example, history: example.history.slice(1) })).toEqual(['history'])
  expect(refusals(serviceHistory, { ...example, status: 'unknown' })).toEqual(['ok'])
})

/** Where a value is refused, such as `services.0.ok`. */
function refusals(schema: z.ZodType, value: unknown): string[] {
  return schema.safeParse(value).error?.issues.map(({ path }) => path.join('.')) ?? []
}
