/** /services/{id}.json: the service's entry of status.json and its last 90 days. */
import { z } from 'zod'
import { document } from './document.ts'
import { service, serviceDocument } from './service.ts'
import { time } from './wire.ts'

export const historyDays = 90

const seconds = z.int().min(0)

/** The parts of one day. Their sum is the day's length: less for today, 23 or 25 hours when clocks change. */
export const day = z.object({
  date: z.iso.date(),
  up_s: seconds,
  degraded_s: seconds,
  down_s: seconds,
  maintenance_s: seconds,
  unknown_s: seconds,
})
export type Day = z.infer<typeof day>

export const serviceHistory = service.extend({
  schema: z.literal(1),
  generated_at: time,
  time_zone: z.string().min(1).describe('the IANA time zone that the days are counted in'),
  history: z.array(day).length(historyDays).describe('oldest first; the last is today, so far'),
})
export type ServiceHistory = z.infer<typeof serviceHistory>

export const serviceHistoryDocument = document('service-history', serviceHistory, {
  ...serviceDocument.example,
  schema: 1,
  generated_at: '2026-03-02T09:20:00Z',
  time_zone: 'UTC',
  history: Array.from({ length: historyDays }, (_, index) => exampleDay(historyDays - 1 - index)),
})

/** Watched for the last ten days: an outage of two minutes six days ago, today until 09:20. */
function exampleDay(daysAgo: number): Day {
  const date = new Date(Date.UTC(2026, 2, 2 - daysAgo)).toISOString().slice(0, 10)
  const length = daysAgo === 0 ? 33_600 : 86_400
  const watched = daysAgo < 10 ? length : 0
  const down_s = daysAgo === 6 ? 120 : 0
  return {
    date,
    up_s: watched - down_s,
    degraded_s: 0,
    down_s,
    maintenance_s: 0,
    unknown_s: length - watched,
  }
}
