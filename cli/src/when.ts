/** Times for people: how long ago on a terminal, the moment itself in what is kept or piped. */

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

export function moment(time: string, relative = process.stdout.isTTY, nowMs = Date.now()): string {
  if (!relative) return `${time.slice(0, 19)}Z`
  const agoMs = nowMs - Date.parse(time)
  return agoMs < 0 ? `in ${rough(-agoMs)}` : agoMs < 5000 ? 'just now' : `${rough(agoMs)} ago`
}

function rough(ms: number): string {
  if (ms < minute) return `${Math.round(ms / 1000)} s`
  if (ms < hour) return `${Math.floor(ms / minute)} min`
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h`
  return `${Math.floor(ms / day)} days`
}

/** How long something took. */
export function duration(ms: number): string {
  if (ms < 9950) return `${(Math.max(ms, 0) / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 120
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Between two times of a document; undefined while it has not ended. */
export const between = (from: string | null, until: string | null): string | undefined =>
  from && until ? duration(Date.parse(until) - Date.parse(from)) : undefined
