/** What the admin host tells of itself: its API, the caller, its readiness. */
import { openapi, operations } from '@quarterdeck/contract'
import type { Kit } from '@quarterdeck/kit'
import { answer, type Route } from '#http'
import type { Addresses } from './addresses.ts'

export function selfRoutes(kit: Kit, addresses: Addresses): Route[] {
  // Made for the first who asks: it takes longer than all the rest of a start.
  let description: ReturnType<typeof openapi> | undefined
  return [
    answer(operations.readOpenapi, () => {
      description ??= { ...openapi(), servers: [{ url: addresses.url('admin') }] }
      return description
    }),
    answer(operations.readSession, ({ identity: { role, name, projects } }) => ({
      role,
      name,
      projects: projects && [...projects],
    })),
    answer(operations.readReadiness, () => kit.readiness()),
  ]
}
