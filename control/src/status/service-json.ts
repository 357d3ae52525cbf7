/** /services/{id}.json: the service's entry and its last 90 days. */
import { historyDays, type ServiceHistory } from '@quarterdeck/contract'
import { Published } from '#http'
import { isoOf } from './service-entry.ts'
import { jsonHeaders, type StatusOptions } from './status-json.ts'

/** Undefined: there is no such service. */
export function serviceJson(id: string, options: StatusOptions): Published | undefined {
  const { watch, history, clock, entries, editions, timeZone } = options
  const state = watch.service(id)
  if (!state) return undefined
  return editions.kept(`service.json ${id}`, () => {
    const now = Math.floor(clock.now().getTime() / 1000)
    const document: ServiceHistory = {
      schema: 1,
      generated_at: isoOf(now),
      time_zone: timeZone,
      ...entries.get(state).service,
      history: history.days(id, now, timeZone, historyDays),
    }
    return new Published(`${JSON.stringify(document)}\n`, jsonHeaders(options))
  })
}
