/** The agent of a machine. The only file here that chooses a unit engine and the runtimes. */
import { mkdirSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { Agent } from './agent.ts'
import { type Custody, openCustody, serverCustody } from './custody.ts'
import type { openJournal } from './journal.ts'
import { type Machine, type MachineLimits, machineLimits } from './machine.ts'
import { NodeRuntime } from './runtimes/node.ts'
import { PythonRuntime } from './runtimes/python.ts'
import { ProcessUnits } from './units/process.ts'
import { SystemdUnits } from './units/systemd.ts'
import type { UnitEngine } from './units/unit-engine.ts'
import { type VerifyTiming, verifyTiming } from './verify.ts'

export type { Agent } from './agent.ts'
export { keepConnected } from './dial.ts'
export { openJournal } from './journal.ts'

export interface AgentConfig {
  /** The home of the environment: projects lie in `projects/`, the agent's own things in `agent/`. */
  home: string
  /** The name of the machine. */
  name: string
  /** Where the code lies, to tell its commit. */
  root: string
  log: Logger
  clock?: Clock
  env?: Readonly<Record<string, string | undefined>>
  timing?: Partial<VerifyTiming>
  limits?: Partial<MachineLimits>
  openJournal?: typeof openJournal
  /** What keeps the units running. `systemd` needs root, and the users that `qd install` makes. Default: process. */
  units?: UnitEngineName
  /** Where it answers /healthz, /readyz, /version and /metrics. Default: a free one. */
  port?: number
}

export type UnitEngineName = 'process' | 'systemd'

/** Starts the agent: what runs is found again, and runs that were under way go on. Connect it to control then. */
export async function start(config: AgentConfig): Promise<Agent> {
  const { home, name, root, log, clock = systemClock, env = process.env } = config
  const agentHome = join(home, 'agent')
  mkdirSync(agentHome, { recursive: true, mode: 0o700 })
  const { units, custody, cache } = keepersOf(config.units ?? 'process', { home, agentHome, clock, log })
  const own = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  const machine: Machine = {
    name,
    home,
    agentHome,
    env: own,
    clock,
    log,
    units,
    runtimes: {
      python: new PythonRuntime({ home: cache, env: own }),
      node: new NodeRuntime({ home: cache, env: own }),
    },
    timing: { ...verifyTiming, ...config.timing },
    custody,
    address,
    limits: { ...machineLimits, ...config.limits },
  }
  const agent = new Agent({
    machine,
    root,
    port: config.port ?? 0,
    homeId: units.homeId,
    ...(config.openJournal && { openJournal: config.openJournal }),
  })
  await agent.start()
  return agent
}

interface Keepers {
  units: UnitEngine & { readonly homeId: string }
  custody: Custody
  /** Where installers keep what they have fetched. */
  cache: string
}

type Ground = Pick<Machine, 'home' | 'agentHome' | 'clock' | 'log'>

function keepersOf(name: UnitEngineName, { home, agentHome, clock, log }: Ground): Keepers {
  if (name === 'process') {
    const units = new ProcessUnits({ home: agentHome, clock, log })
    return { units, custody: openCustody, cache: agentHome }
  }
  const hidden = [agentHome, join(home, 'control')]
  return {
    units: new SystemdUnits({ home: agentHome, clock, log, hidden }),
    custody: serverCustody({ home, git: 'quarterdeck', builder: 'qd-build' }),
    cache: join(home, 'cache'),
  }
}

/**
 * An address of this machine that is not loopback, so that a service which listens on 127.0.0.1 alone is found out. On a
 * machine without a network 127.0.0.2 serves as well: only who listens on all interfaces answers there.
 */
function address(): string {
  const all = Object.values(networkInterfaces()).flatMap(list => list ?? [])
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.2'
}
