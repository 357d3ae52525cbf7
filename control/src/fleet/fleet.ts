/** The machines: which agents are connected, what is said to them and what they say. */
import { randomUUIDv7 } from 'node:crypto'
import {
  Fault,
  type FromAgent,
  fromAgent,
  type Link,
  type Question,
  type RunError,
  type ToAgent,
} from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import type { Events } from '#events'
import { bySystem } from '#http'
import type { Store } from '#store'
import { recordInstance } from './instances.ts'
import { Restarts } from './restarts.ts'

const answerLimitMs = 30_000

export interface Machine {
  readonly name: string
  /** Where its services are reached from the edge. */
  readonly address: string
  /** Null: it stands for every group. */
  readonly group: string | null
}

/** Where the agent of a machine answers the kit's endpoints. */
export interface AgentPlace {
  readonly machine: string
  readonly address: string
  /** As it last said; null: nowhere, or it was not heard since control started. */
  readonly port: number | null
  readonly connected: boolean
}

export interface FleetOptions {
  store: Store
  events: Events
  clock: Clock
  log: Logger
  /** Every machine there is. */
  machines: readonly Machine[]
}

type Heard = Exclude<FromAgent, { type: 'reply' | 'instance' }>

export class Fleet {
  readonly machines: readonly Machine[]
  readonly restarts: Restarts
  readonly #options: FleetOptions
  readonly #links = new Map<string, Link>()
  /** Also of those that are away, so that it is noticed. */
  readonly #agentPorts = new Map<string, number | null>()
  readonly #asked = new Map<string, { machine: string; settle(reply: Reply): void }>()
  readonly #listeners = new Set<(machine: string, message: Heard) => void>()

  constructor(options: FleetOptions) {
    this.#options = options
    this.machines = options.machines
    this.restarts = new Restarts(options.clock)
  }

  /** Machines that a project with these settings belongs on. */
  placement({ group, machines }: { group: string; machines: readonly string[] }): readonly Machine[] {
    return this.machines.filter(machine =>
      machines.length > 0
        ? machines.includes(machine.name)
        : machine.group === null || machine.group === group,
    )
  }

  /** Takes a connection into use. The agent at its other end says first, and once, which machine it is on. */
  attach(link: Link): void {
    let machine: string | undefined
    link.onMessage(text => {
      const message = this.#read(text)
      if (!message || !this.#isInPlace(message, machine)) return link.close()
      if (message.type === 'hello') {
        machine = message.machine
        this.#agentPorts.set(machine, message.port ?? null)
        this.#connect(machine, link)
      }
      if (machine !== undefined) this.#hear(machine, message)
    })
    link.onClose(() => {
      if (machine === undefined || this.#links.get(machine) !== link) return
      this.#links.delete(machine)
      this.#giveUp(machine)
    })
  }

  isConnected(machine: string): boolean {
    return this.#links.has(machine)
  }

  /** One for each machine. */
  agents(): AgentPlace[] {
    return this.machines.map(({ name, address }) => ({
      machine: name,
      address,
      port: this.#agentPorts.get(name) ?? null,
      connected: this.isConnected(name),
    }))
  }

  /** What is sent while nobody is connected is lost: whoever sends says it again after a `hello`. */
  send(machine: string, message: ToAgent): void {
    const link = this.#links.get(machine)
    if (!link) return
    this.restarts.sent(machine, message)
    link.send(JSON.stringify(message))
  }

  /** The agent's answer; a fault when it refuses, is away or takes too long. */
  async ask(machine: string, question: Question, limitMs = answerLimitMs): Promise<unknown> {
    if (!this.isConnected(machine)) throw away(machine)
    const id = randomUUIDv7()
    const { promise, resolve } = Promise.withResolvers<Reply>()
    const limit = setTimeout(() => resolve({ error: null, lost: true }), limitMs)
    this.#asked.set(id, { machine, settle: resolve })
    this.send(machine, { type: 'ask', id, question })
    const { error, lost, value } = await promise
    clearTimeout(limit)
    this.#asked.delete(id)
    this.restarts.ended(id)
    if (lost) throw away(machine)
    if (error?.code === 'not_adoptable') throw new Fault('not_adoptable', error.message)
    if (error) throw new Fault('unit_failed', error.message)
    return value
  }

  /** Hears what agents say about themselves and their runs. */
  onMessage(listener: (machine: string, message: Heard) => void): void {
    this.#listeners.add(listener)
  }

  close(): void {
    for (const link of this.#links.values()) link.close()
  }

  #read(text: string): FromAgent | undefined {
    try {
      return fromAgent.parse(JSON.parse(text))
    } catch (error) {
      this.#options.log.error({ err: error }, 'an agent said what is not understood')
      return undefined
    }
  }

  #isInPlace(message: FromAgent, machine: string | undefined): boolean {
    const isHello = message.type === 'hello'
    if (!isHello && machine !== undefined) return true
    if (isHello && machine === undefined && this.machines.some(({ name }) => name === message.machine))
      return true
    this.#options.log.error({ type: message.type, machine }, 'an agent said what is not its to say')
    return false
  }

  /** The newest connection of a machine counts. What was asked over the one before is not answered any more. */
  #connect(machine: string, link: Link): void {
    this.#links.get(machine)?.close()
    this.#links.set(machine, link)
    this.#giveUp(machine)
  }

  #hear(machine: string, message: FromAgent): void {
    this.restarts.heard(message)
    if (message.type === 'reply') this.#asked.get(message.id)?.settle(message)
    else if (message.type === 'instance') this.#record(machine, message.instance)
    else for (const listener of this.#listeners) listener(machine, message)
  }

  #record(machine: string, instance: Extract<FromAgent, { type: 'instance' }>['instance']): void {
    const { store, events, clock, log } = this.#options
    store
      .write(async transaction => {
        if (!(await recordInstance(transaction, machine, instance, clock.now().toISOString()))) return
        await events.append(transaction, bySystem, {
          type: 'instance.changed',
          subject: `project/${instance.project}`,
          data: JSON.parse(JSON.stringify({ machine, ...instance })),
        })
      })
      // The agent tells it again when it connects.
      .catch(error => log.error({ err: error, machine }, 'an instance could not be recorded'))
  }

  #giveUp(machine: string): void {
    for (const asked of this.#asked.values()) {
      if (asked.machine === machine) asked.settle({ error: null, lost: true })
    }
  }
}

interface Reply {
  error: RunError | null
  value?: unknown
  lost?: true
}

const away = (machine: string) =>
  new Fault('machine_unreachable', `The agent on ${machine} does not answer.`, { retryAfterS: 5 })
