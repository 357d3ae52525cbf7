/** The agent: does what control asks on this machine, and tells what happens. It goes on whether or not control is there. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type FromAgent,
  type Instance,
  type Link,
  type Question,
  RunFault,
  slug,
  toAgent,
} from '@quarterdeck/contract'
import { undoHalfAdopted } from './adoption/adopt.ts'
import { Alignments } from './alignments.ts'
import { type Endpoints, serveEndpoints } from './endpoints.ts'
import { saidIn } from './in-repository.ts'
import type { openJournal } from './journal.ts'
import type { Machine } from './machine.ts'
import { answerTo } from './questions.ts'
import { Runs } from './runs.ts'
import { type Self, selfOf } from './self.ts'
import { Site } from './site.ts'

export interface AgentOptions {
  machine: Machine
  /** Where the code lies, to tell its commit. */
  root: string
  homeId: string
  /** Where its endpoints are to be found; 0: wherever there is room. */
  port: number
  openJournal?: typeof openJournal
}

export class Agent {
  readonly #options: AgentOptions
  readonly #runs: Runs
  readonly #alignments: Alignments
  readonly #self: Self
  #endpoints: Endpoints | undefined
  #link: Link | undefined
  #stopListening: () => void = () => undefined

  constructor(options: AgentOptions) {
    this.#options = options
    this.#self = selfOf({ ...options, isConnected: () => this.#link !== undefined })
    this.#runs = new Runs({
      ...options,
      tell: message => this.#tell(message),
      onEnd: outcome => this.#self.ended(outcome),
    })
    this.#alignments = new Alignments({ ...options, isBusy: project => this.#runs.isBusy(project) })
  }

  /** Finds again what runs, and takes up the runs that were under way. */
  async start(): Promise<void> {
    const { port, machine } = this.#options
    const { log } = machine
    this.#endpoints = await serveEndpoints(this.#self.kit, { port, log })
    try {
      await this.#recover()
    } catch (error) {
      await this.#endpoints.stop()
      throw error
    }
  }

  /** From now on this is the way to control. It hears at once what is here. */
  connect(link: Link): void {
    this.#link = link
    link.onMessage(text => {
      this.#hear(text).catch(error => this.#options.machine.log.error({ err: error }, 'a message failed'))
    })
    link.onClose(() => {
      if (this.#link === link) this.#link = undefined
    })
    const { machine } = this.#options
    const { sha } = this.#self.kit
    this.#tell({ type: 'hello', machine: machine.name, sha, port: this.port })
    for (const project of projectsIn(machine.home)) this.#tellInstance(project)
  }

  /** Where its endpoints are; null: nowhere. */
  get port(): number | null {
    return this.#endpoints?.port ?? null
  }

  /** Projects that have something running. */
  get services(): string[] {
    const running = this.#options.machine.units.list().filter(({ state }) => state === 'running')
    return [...new Set(running.map(({ project }) => project))].sort()
  }

  /** Ends; services live on, and runs go on with the next start. */
  async stop(): Promise<void> {
    this.#endpoints?.beginStop()
    this.#stopListening()
    await this.#runs.stop()
    await this.#alignments.stop()
    this.#options.machine.units.close()
    this.#link?.close()
    await this.#endpoints?.stop()
  }

  async #recover(): Promise<void> {
    const { units } = this.#options.machine
    for (const project of projectsIn(this.#options.machine.home))
      undoHalfAdopted(this.#options.machine, project)
    await units.recover()
    this.#stopListening = units.onChange(project => this.#tellInstance(project))
    await this.#runs.recover()
    if (units.flags.survives_restart) this.#alignments.start()
  }

  async #hear(text: string): Promise<void> {
    const message = toAgent.parse(JSON.parse(text))
    if (message.type === 'run') await this.#runs.take(message.order, message.confidential, message.log_after)
    if (message.type === 'cancel') this.#runs.cancel(message.run_id)
    if (message.type === 'recorded') await this.#runs.recorded(message.run_id)
    if (message.type === 'ask') await this.#reply(message.id, message.question)
  }

  async #reply(id: string, question: Question): Promise<void> {
    try {
      if (question.what === 'act' && (await this.#runs.isBusy(question.project.name))) {
        throw new RunFault('restart_failed', `A run of ${question.project.name} is under way.`)
      }
      const value = (await answerTo(this.#options.machine, question)) ?? null
      if (question.what === 'adopt') this.#tellInstance(question.project.name)
      this.#tell({ type: 'reply', id, error: null, value: value as never })
    } catch (error) {
      const { code, message } =
        error instanceof RunFault ? error : new RunFault('internal', (error as Error).message)
      if (code === 'internal') this.#options.machine.log.error({ err: error }, 'a question failed')
      this.#tell({ type: 'reply', id, error: { code, message }, value: null })
    }
  }

  /** What is said while control is away is said again in full when it is there. */
  #tell(message: FromAgent): void {
    this.#link?.send(JSON.stringify(message))
  }

  #tellInstance(project: string): void {
    this.#tell({ type: 'instance', instance: this.#instanceOf(project) })
  }

  #instanceOf(project: string): Instance {
    const { machine } = this.#options
    const site = new Site(machine, project)
    const sha = site.releases.current()
    const { proven } = site.state
    const web = proven?.project.processes.find(({ port }) => port !== null)
    return {
      project,
      sha,
      proven_sha: proven?.sha ?? null,
      port: sha === null ? null : (web?.port ?? null),
      variables: sha === null ? null : site.variables.inUse(),
      ...settingsSaid(site, sha),
      units: machine.units
        .list(project)
        .map(({ name, state, pid, since, restarts }) => ({ name, state, pid, since, restarts })),
    }
  }
}

/** A file that cannot be is told by the run that met it. */
function settingsSaid(site: Site, sha: string | null): Pick<Instance, 'in_repository'> {
  try {
    const said = sha === null ? null : saidIn(site.layout.release(sha))
    return said ? { in_repository: said } : {}
  } catch {
    return {}
  }
}

function projectsIn(home: string): string[] {
  try {
    return readdirSync(join(home, 'projects')).filter(name => slug.safeParse(name).success)
  } catch {
    return []
  }
}
