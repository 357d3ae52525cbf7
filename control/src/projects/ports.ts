/**
 * Ports: who has which on which machine. The registry is asked in the transaction that takes a port, so two can never
 * take the same; what other programs listen on, only the agents can tell, before it.
 */
import { Fault } from '@quarterdeck/contract'
import type { Fleet } from '#fleet'
import type { Transaction } from '#store'
import { storedProjects } from './rows.ts'
import { type Settings, type StoredProject, webOf } from './stored-project.ts'

/** Free ports are given out from here. */
const firstPort = 8400
const lastPort = 65_535
/** How many ports agents are asked about where any will do; beyond them a port is given out unasked. */
const askedAtOnce = 64
const answerLimitMs = 5000

/** Ports that other programs listen on, and on which machine. */
export type BusyPorts = ReadonlyMap<number, string>
export const noneBusy: BusyPorts = new Map()

export interface PortInUse {
  readonly machine: string
  readonly port: number | null
}

export class Ports {
  readonly #fleet: Fleet
  readonly #reserved: ReadonlySet<number>

  constructor(fleet: Fleet, reserved: Iterable<number>) {
    this.#fleet = fleet
    this.#reserved = new Set(reserved)
  }

  /** The settings with a port for the web process; a fault when the one that it wants is another's. */
  async settle(
    transaction: Transaction,
    settings: Settings,
    busy: BusyPorts,
    before?: StoredProject,
  ): Promise<Settings> {
    if (!webOf(settings)) return settings
    const others = (await projectsWithPort(transaction)).filter(({ name }) => name !== settings.name)
    return this.settleAmong(others, settings, busy, before)
  }

  /** The same, where the others are known. */
  settleAmong(
    others: readonly Settings[],
    settings: Settings,
    busy: BusyPorts,
    before?: StoredProject,
  ): Settings {
    const web = webOf(settings)
    if (!web) return settings
    const port = web.port ?? this.#free(others, busy, 1)[0]
    if (port === undefined) throw new Fault('port_taken', `No port from ${firstPort} to ${lastPort} is free.`)
    if (!before || !this.isKept(before, settings, port)) this.#refuseTaken(port, settings, others, busy)
    return {
      ...settings,
      processes: settings.processes.map(process => (process === web ? { ...web, port } : process)),
    }
  }

  /** Whether the project, on this port, listens where it did before. */
  isKept(before: StoredProject, settings: Settings, port: number | null): boolean {
    return port === webOf(before)?.port && String(this.#places(before)) === String(this.#places(settings))
  }

  /** The ports that `settle` will look at, to ask agents about. */
  async wanted(transaction: Transaction, settings: Settings): Promise<number[]> {
    return this.wantedAmong(await projectsWithPort(transaction), settings)
  }

  wantedAmong(others: readonly Settings[], settings: Settings): number[] {
    const web = webOf(settings)
    if (!web) return []
    return web.port === null ? this.#free(others, noneBusy, askedAtOnce) : [web.port]
  }

  /**
   * What the agents say of these ports, `own` aside: there the project itself listens. A machine that is away is not
   * asked: what the registry knows still holds.
   */
  async busy(ports: readonly number[], settings: Settings, own: readonly PortInUse[]): Promise<BusyPorts> {
    const busy = new Map<number, string>()
    await Promise.all(
      this.#fleet.placement(settings).map(async ({ name: machine }) => {
        const isOwn = (port: number) => own.some(each => each.machine === machine && each.port === port)
        const asked = ports.filter(port => !isOwn(port))
        if (asked.length === 0 || !this.#fleet.isConnected(machine)) return
        for (const port of await this.#ask(machine, asked)) busy.set(port, machine)
      }),
    )
    return busy
  }

  async #ask(machine: string, ports: number[]): Promise<number[]> {
    const answer = await this.#fleet
      .ask(machine, { what: 'busy_ports', ports }, answerLimitMs)
      .catch(() => undefined)
    return Array.isArray(answer) ? answer.filter(port => ports.includes(port)) : []
  }

  /** Ports that no project has, on whatever machine, so that a project can be moved. */
  #free(others: readonly Settings[], busy: BusyPorts, count: number): number[] {
    const taken = new Set(others.map(other => webOf(other)?.port))
    const free: number[] = []
    for (let port = firstPort; port <= lastPort && free.length < count; port++) {
      if (!taken.has(port) && !this.#reserved.has(port) && !busy.has(port)) free.push(port)
    }
    return free
  }

  #refuseTaken(port: number, settings: Settings, others: readonly Settings[], busy: BusyPorts): void {
    if (this.#reserved.has(port)) throw taken(port, 'the environment itself uses it')
    const places = this.#places(settings)
    const other = others.find(
      candidate =>
        webOf(candidate)?.port === port && this.#places(candidate).some(place => places.includes(place)),
    )
    if (other) throw taken(port, `the project ${other.name} has it`)
    const machine = busy.get(port)
    if (machine !== undefined) throw taken(port, `another program on ${machine} listens on it`)
  }

  /** Where a project is or will be: machines, also ones that are not there yet, and its group where it names none. */
  #places(settings: Settings): string[] {
    const machines = this.#fleet.placement(settings).map(({ name }) => name)
    const named = settings.machines.length > 0 ? settings.machines : [`group ${settings.group}`]
    return [...new Set([...machines, ...named])].sort()
  }
}

/** Archived projects have none: their units are gone. */
const projectsWithPort = async (transaction: Transaction): Promise<StoredProject[]> =>
  (await storedProjects(transaction)).filter(project => webOf(project))

const taken = (port: number, why: string) =>
  new Fault('port_taken', `Port ${port} is taken: ${why}.`, {
    fields: [{ field: 'port', message: why }],
  })
