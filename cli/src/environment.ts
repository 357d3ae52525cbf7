/** The whole environment in one process: the edge, control and this machine's agent, composed. */
import * as agent from '@quarterdeck/agent'
import { linkPair } from '@quarterdeck/contract'
import * as control from '@quarterdeck/control'
import * as edge from '@quarterdeck/edge'
import type { Logger } from 'pino'
import { root } from './root.ts'

export interface Environment {
  hosts: readonly control.RunningHost[]
  sha: string
  port: number
  url(host?: string): string
  /** Tells which services live on. */
  stop(limitMs: number): Promise<{ cutOff: number; services: readonly string[] }>
}

/** The edge first: it owns the port, and says that the rest is starting. */
export async function startEnvironment(
  config: control.Config,
  log: Logger,
  machine: Partial<agent.AgentConfig> = {},
): Promise<Environment> {
  const gateway = await edge.start({
    listen: config.listen,
    domain: config.domain,
    trustedProxies: config.trusted_proxies,
    headersTimeoutMs: config.limits.headers_s * 1000,
    requestTimeoutMs: config.limits.request_s * 1000,
    root,
    log,
    url: (listeningPort, host) => control.addresses(config, listeningPort).url(host),
  })
  const { hosts, sha, attach, beginStop, stop } = await control
    .start(config, { log, root, port: gateway.port, onRoutes: routes => gateway.route(routes) })
    .catch(async error => {
      await gateway.stop(0)
      throw error
    })
  const worker = await startAgent(config, log, attach, machine)
  gateway.serve(hosts.map(host => ({ ...host, ready: async () => (await host.kit.readiness()).ok })))
  return {
    hosts,
    sha,
    port: gateway.port,
    url: host => control.addresses(config, gateway.port).url(host),
    async stop(limitMs) {
      gateway.beginStop()
      beginStop()
      const { cutOff } = await gateway.stop(limitMs)
      const services = worker.services
      await worker.stop()
      await stop()
      return { cutOff, services }
    },
  }
}

/** The agent of this machine, in the same process. It speaks with control as one on another machine would. */
async function startAgent(
  { home }: control.Config,
  log: Logger,
  attach: control.Control['attach'],
  machine: Partial<agent.AgentConfig>,
): Promise<agent.Agent> {
  const worker = await agent.start({ home, name: control.localMachine.name, root, log, ...machine })
  const [here, there] = linkPair()
  attach(here)
  worker.connect(there)
  return worker
}
