/** From what is new to what is told at /events: changes of a tenth of a second are one event. */
import type { NoticesEvent, ServicesEvent } from '@quarterdeck/contract'
import type { Live } from './live.ts'
import { isoOf } from './service-entry.ts'
import type { StatusJson, StatusOptions } from './status-json.ts'

const gatherMs = 100
/** In one event; when more has changed, readers read everything anew. */
const mostServices = 150

/** Returns how to end it. */
export function tellChanges(
  { watch, notices, entries, clock }: StatusOptions,
  status: StatusJson,
  live: Live,
): () => void {
  const changed = new Set<string>()
  let areNoticesNew = false
  let timer: NodeJS.Timeout | undefined

  function tell(): void {
    timer = undefined
    const at = isoOf(Math.floor(clock.now().getTime() / 1000))
    const { status: overall, incidents, maintenances } = status.head()
    const ids = [...changed]
    changed.clear()
    if (ids.length > mostServices) live.reset()
    else if (ids.length > 0) {
      const services = ids.flatMap(id => watch.service(id) ?? []).map(state => entries.get(state).service)
      const removed = ids.filter(id => !watch.service(id))
      live.tell('services', { at, status: overall, services, removed } satisfies ServicesEvent)
    }
    if (areNoticesNew)
      live.tell('notices', { at, status: overall, incidents, maintenances } satisfies NoticesEvent)
    areNoticesNew = false
  }
  const soon = () => {
    timer ??= setTimeout(tell, gatherMs)
  }
  const told = new Map<string, string>()
  const stop = watch.onNews((id, news) => {
    if (news !== 'changed') return
    const now = watch.service(id)?.status ?? 'gone'
    // A change of settings is no other status, unless the service is new.
    if (told.get(id) === now) return
    if (now === 'gone') told.delete(id)
    else told.set(id, now)
    changed.add(id)
    soon()
  })
  notices.onChange(() => {
    areNoticesNew = true
    soon()
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}
