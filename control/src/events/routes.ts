/** `GET /api/events`: the stream as server-sent events, resumable with `Last-Event-ID`. */
import { operations } from '@quarterdeck/contract'
import { type Route, serverSent, stream } from '#http'
import type { Events } from './events.ts'

export const eventRoutes = (events: Events): Route[] => [
  stream(operations.followEvents, async (call, ended) => {
    const after = call.headers['last-event-id'] ?? (await events.latest())
    const chunks = serverSent(
      (async function* () {
        for await (const batch of events.follow(after, ended)) {
          for (const event of batch) yield { id: event.position, event: event.type, data: event }
        }
      })(),
    )
    return { type: 'text/event-stream', chunks }
  }),
]
