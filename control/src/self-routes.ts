/** What the admin host tells of itself: its API, the caller, its readiness. */
import { openapi, operations } from '@quarterdeck/contract'
import type { Kit } from '@quarterdeck/kit'
import { answer, type Route } from '#http'
import type { Addresses } from './addresses.ts'

export function selfRoutes(kit: Kit, addresses: Addresses): Route[] {
  const description = { ...openapi(), servers: [{ url: addresses.url('admin') }] }
  return [
    answer(operations.readOpenapi, () => description),
    answer(operations.readSession, ({ identity: { role, name, projects } }) => ({
      role,
      name,
      projects: projects && [...projects],
    })),
    answer(operations.readReadiness, () => kit.readiness()),
  ]
}
