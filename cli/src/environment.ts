/** The whole environment in one process: the edge, control and this machine's agent, composed. */
import * as agent from '@quarterdeck/agent'
import { linkPair } from '@quarterdeck/contract'
import * as control from '@quarterdeck/control'
import * as edge from '@quarterdeck/edge'
import type { Logger } from 'pino'
import { agentHome } from './agent.ts'
import { root } from './root.ts'

export interface Environment {
  hosts: readonly control.RunningHost[]
  sha: string
  port: number
  url(host?: string): string
  /** Tells which services live on. */
  stop(limitMs: number): Promise<{ cutOff: number; services: readonly string[] }>
}

export interface EnvironmentOptions {
  /** The agent is a process of its own, and connects here. */
  agentSocket?: string
  /** Of the agent in this process, where it differs from what is usual. */
  machine?: Partial<agent.AgentConfig>
}

/** The edge first: it owns the port, and says that the rest is starting. */
export async function startEnvironment(
  config: control.Config,
  log: Logger,
  { agentSocket, machine = {} }: EnvironmentOptions = {},
): Promise<Environment> {
  const gateway = await edge.start({
    listen: config.listen,
    domain: config.domain,
    trustedProxies: config.trusted_proxies,
    headersTimeoutMs: config.limits.headers_s * 1000,
    requestTimeoutMs: config.limits.request_s * 1000,
    statusCopy: control.statusCopyFile(config),
    root,
    log,
    url: (listeningPort, host) => control.addresses(config, listeningPort).url(host),
  })
  const { hosts, sha, attach, beginStop, stop } = await control
    .start(config, {
      log,
      root,
      port: gateway.port,
      onRoutes: routes => gateway.route(routes),
      ...(agentSocket !== undefined && { agentSocket }),
    })
    .catch(async error => {
      await gateway.stop(0)
      throw error
    })
  const worker = agentSocket === undefined ? await startAgent(config, log, attach, machine) : undefined
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
      const services = worker?.services() ?? []
      await worker?.stop()
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
): Promise<{ services(): string[]; stop(): Promise<void> }> {
  const own = control.takeHome(agentHome(home))
  const worker = await agent.start({ home, name: control.localMachine.name, root, log, ...machine })
  const [here, there] = linkPair()
  attach(here)
  worker.connect(there)
  return {
    services: () => worker.services,
    async stop() {
      await worker.stop()
      own.release()
    },
  }
}
