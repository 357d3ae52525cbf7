/** Server-sent events as text. https://html.spec.whatwg.org/multipage/server-sent-events.html */
import type { Chunks } from './route.ts'

export interface ServerSentEvent {
  /** What a reader resumes after; without one, the place of the event before still counts. */
  id?: number | string
  event: string
  data: unknown
}

/** What a reader does after a broken connection. */
const retryMs = 2000

export async function* serverSent(events: AsyncIterable<ServerSentEvent>): Chunks {
  yield `retry: ${retryMs}\n\n`
  for await (const { id, event, data } of events) {
    // JSON holds no line breaks, so one data line is enough.
    const place = id === undefined ? '' : `id: ${id}\n`
    yield `${place}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
  }
}
