/** The environment watches itself like every service: control's hosts and the edge through the public port, and the agents. */
import { apiPaths } from './look.ts'
import { instanceId, type WatchedService } from './service.ts'

/** The group that they are shown in. */
const group = 'control'

export interface OwnServices {
  /** Where the edge listens. */
  readonly address: string
  readonly port: number
  readonly domain: string
  readonly sha: string
  readonly hosts: readonly { name: string; title: string; purpose: string }[]
  url(host?: string): string
}

export interface AgentAddress {
  readonly machine: string
  readonly address: string
  /** Null: it has not told where it listens. */
  readonly port: number | null
}

const edge = {
  name: 'edge',
  title: 'Edge',
  purpose: 'The gateway: every request from outside comes in here.',
}

export function ownServices(
  { address, port, domain, sha, hosts, url }: OwnServices,
  agents: readonly AgentAddress[],
): WatchedService[] {
  // Listening everywhere is listening here too.
  const here = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
  const common = { group, kind: 'own', dependsOn: [], runbook: null, deployedAt: null } as const
  const throughEdge = [...hosts, edge].map((host): WatchedService => {
    const isEdge = host === edge
    const authority = `${isEdge ? '' : `${host.name}.`}${domain}`
    return {
      ...common,
      id: host.name,
      name: host.title,
      description: host.purpose,
      site: isEdge ? url() : url(host.name),
      instances: [
        {
          id: host.name,
          machine: null,
          kind: 'api',
          server: { host: here, port, isTls: false, authority },
          paths: apiPaths('', '/metrics'),
          expected: { names: [host.name], sha },
        },
      ],
    }
  })
  const listening = agents.flatMap(agent => (agent.port === null ? [] : [{ ...agent, port: agent.port }]))
  return [
    ...throughEdge,
    {
      ...common,
      id: 'agent',
      name: 'Agent',
      description: 'Does the work on the machines: deploys, and keeps the units.',
      site: null,
      instances: listening.map(agent => ({
        id: instanceId('agent', agent.machine),
        machine: agent.machine,
        kind: 'api',
        server: { host: agent.address, port: agent.port, isTls: false },
        paths: apiPaths('', '/metrics'),
        expected: { names: ['agent'], sha },
      })),
    },
  ]
}
