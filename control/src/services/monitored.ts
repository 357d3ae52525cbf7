/** All services that there are to watch, told at once and again whenever something about them changes. */
import { type Following, keepTold } from '#events'
import type { Fleet } from '#fleet'
import type { Transaction } from '#store'
import type { Known, MonitoredService } from '#watch'
import type { OwnService } from './list-services.ts'
import { monitoredOwn, type OwnPlaces } from './own-services.ts'
import { projectServices } from './project-services.ts'
import type { Services } from './services.ts'
import { monitoredOnly } from './watched-only.ts'

export interface Monitored {
  fleet: Fleet
  services: Services
  own: readonly OwnService[]
  places: Omit<OwnPlaces, 'agents' | 'known'>
  /** Of control itself: whether its messages arrive. */
  known(transaction: Transaction): Promise<Known | null>
  /** Of a project's sub-domain, or of a host. */
  url(name: string): string
}

/** Until it is ended. */
export const followServices = (
  { fleet, services, own, places, known, url, ...following }: Following & Monitored,
  tell: (services: MonitoredService[]) => void,
): Promise<void> =>
  keepTold(following, {
    what: 'the services',
    changing: [
      ...(['project.created', 'project.changed', 'project.archived', 'instance.changed'] as const),
      ...(['service.added', 'service.changed', 'service.removed', 'run.ended'] as const),
      ...(['channel.failing', 'channel.working'] as const),
    ],
    // Agents tell where they listen when they connect.
    listen: again => fleet.onMessage((_machine, { type }) => type === 'hello' && again()),
    async read(transaction) {
      const runbook = (named: string) => (/^https?:/.test(named) ? named : `${url('docs')}/${named}`)
      const rows = await services.rows(transaction)
      return [
        ...(await projectServices(transaction, { fleet, url, runbook })),
        ...rows.map(row => monitoredOnly(services, row, runbook)),
        ...monitoredOwn(own, { ...places, agents: fleet.agents(), known: await known(transaction) }),
      ]
    },
    tell,
  })
