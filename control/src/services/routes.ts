import { operations, type ServiceLook } from '@quarterdeck/contract'
import { cursorOf, type Route, read, respond, write } from '#http'
import type { Store } from '#store'
import { listServices, readService, type ServiceSources } from './list-services.ts'
import type { Services, WatchedService } from './services.ts'

const idCursor = /^[a-z][a-z0-9-]{0,62}$/

export interface ServiceRoutes extends ServiceSources {
  services: Services
  store: Store
  /** Asks it once, at once. */
  look(service: WatchedService): Promise<ServiceLook>
}

export const serviceRoutes = ({ services, store, look, ...sources }: ServiceRoutes): Route[] => [
  read(operations.listServices, ({ query, identity }, transaction) => {
    const filter = { kind: query.kind, only: identity.projects }
    return listServices(transaction, sources, filter, cursorOf(query, idCursor))
  }),
  read(operations.readService, ({ params, identity }, transaction) =>
    readService(transaction, sources, identity.projects, params.id),
  ),
  write(operations.watchService, ({ origin, body }, transaction) => services.add(transaction, origin, body)),
  write(operations.changeService, ({ origin, params, body }, transaction) =>
    services.change(transaction, origin, params.id, body),
  ),
  write(operations.removeService, async ({ origin, params }, transaction) => {
    await services.remove(transaction, origin, params.id)
    return undefined
  }),
  respond(operations.lookAtService, async ({ params }) => {
    const watched = await store.read(transaction => services.watched(transaction, params.id))
    return { status: 200, value: await look(watched) }
  }),
]
