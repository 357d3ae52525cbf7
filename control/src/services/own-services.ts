/** The environment watches itself like every service: control's hosts and the edge through the public port, and the agents. */
import { apiPaths, instanceId, type Known, type MonitoredInstance, type MonitoredService } from '#watch'
import type { OwnService } from './list-services.ts'

export interface OwnServices {
  readonly hosts: readonly { name: string; title: string; purpose: string }[]
  /** Of a host, or of the front page, from outside. */
  url(host?: string): string
}

export const ownServices = ({ hosts, url }: OwnServices): OwnService[] => [
  ...hosts.map(({ name, title, purpose }) => of(name, title, purpose, url(name))),
  of('edge', 'Edge', 'Takes every request, and knows whose it is.', url()),
  of('agent', 'Agents', 'Do the work on each machine.', null),
]

const of = (id: string, name: string, description: string, site: string | null): OwnService => ({
  ...{ id, name, description, site, group: 'control' },
})

/** The host that stands for control itself. */
const controlHost = 'admin'

/** Where they are found. */
export interface OwnPlaces {
  /** Where the edge listens. */
  readonly address: string
  readonly port: number
  readonly domain: string
  readonly sha: string
  readonly agents: readonly AgentPlace[]
  /** Of control itself, beyond what its hosts answer. */
  readonly known: Known | null
}

interface AgentPlace {
  readonly machine: string
  readonly address: string
  /** Null: it has not told where it listens. */
  readonly port: number | null
  readonly connected: boolean
}

export const monitoredOwn = (own: readonly OwnService[], places: OwnPlaces): MonitoredService[] =>
  own.map(service => ({
    ...{ ...service, kind: 'own', dependsOn: [], runbook: null, deployedAt: null },
    instances:
      service.id === 'agent'
        ? places.agents.map(agent => agentInstance(agent, places))
        : [throughEdge(service.id, places)],
  }))

function throughEdge(id: string, { address, port, domain, sha, known }: OwnPlaces): MonitoredInstance {
  // Listening everywhere is listening here too.
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
  const authority = id === 'edge' ? domain : `${id}.${domain}`
  return {
    ...{ id, machine: null, kind: 'api', paths: apiPaths('', '/metrics') },
    server: { host, port, isTls: false, authority },
    expected: { names: [id], sha },
    ...(id === controlHost && { known }),
  }
}

function agentInstance(
  { machine, address, port, connected }: AgentPlace,
  { sha }: OwnPlaces,
): MonitoredInstance {
  const common = { id: instanceId('agent', machine), machine }
  // One that has told nothing yet may still come; an older one does not tell where it listens.
  const unseen = { state: connected ? 'up' : 'unknown', since: null, reason: null } as const
  if (port === null) return { ...common, kind: 'told', condition: unseen }
  return {
    ...common,
    ...{ kind: 'api', paths: apiPaths('', '/metrics') },
    server: { host: address, port, isTls: false },
    expected: { names: ['agent'], sha },
  }
}
