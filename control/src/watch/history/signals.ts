/** What was seen over time, for charts. */
import type { Store } from '#store'
import { levels, Period, type PeriodFigures, type PeriodS } from './period.ts'

export interface Span {
  readonly service: string
  /** Seconds since 1970. */
  readonly from: number
  readonly to: number
  readonly now: number
}

/** Oldest first, in the shortest periods that are kept for so long; what is in memory counts before what is in the store. */
export async function readFigures(
  store: Store,
  { service, from, to, now }: Span,
  inMemory: (periodS: PeriodS) => readonly Period[],
): Promise<PeriodFigures[]> {
  const { periodS, kept } = levels.find(level => from >= now - level.periodS * level.kept) ?? levels[2]
  const oldest = Math.max(from, now - periodS * kept)
  const first = Math.ceil(oldest / periodS)
  const count = Math.min(kept, Math.floor(to / periodS) - first + 1)
  if (count <= 0) return []
  const slots = Array.from({ length: count }, (_, index) => (first + index) % kept)
  const rows = await store.read(transaction =>
    transaction
      .selectFrom('service_period')
      .selectAll()
      .where('period_s', '=', periodS)
      .where('slot', 'in', slots)
      .where('service', '=', service)
      .where('at', '>=', oldest)
      .where('at', '<=', to)
      .orderBy('at')
      .execute(),
  )
  const periods = new Map(rows.map(row => [row.at, Period.of(row)]))
  for (const period of inMemory(periodS))
    if (period.at >= oldest && period.at <= to) periods.set(period.at, period)
  return [...periods.values()].sort((a, b) => a.at - b.at).map(period => period.figures())
}
