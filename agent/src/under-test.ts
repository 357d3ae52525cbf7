/** An agent in this process with a home of its own, a stand-in for control, a remote, and a project to deploy. */
import { createHash, randomUUIDv7 } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  noVariables,
  type PlacedProject,
  type RunOrder,
  type StepName,
  type StepStatus,
} from '@quarterdeck/contract'
import { freePort, memoryLog, until } from '@quarterdeck/testing'
import { ControlUnderTest, type EndedRun } from './control-under-test.ts'
import { readJournal } from './journal.ts'
import { type Layout, layoutOf } from './layout.ts'
import { type Agent, type AgentConfig, start } from './main.ts'
import { endGroup, findTagged } from './processes.ts'
import { git, type RemoteUnderTest, remoteIn } from './repository-under-test.ts'
import { serviceFiles, serviceProject } from './service-under-test.ts'

export { until }

export const quickTiming = { times: 3, apartMs: 30, pollMs: 20, workerMs: 150 }

/** Of the service. */
interface Answer {
  readonly sha: string
  readonly pid: number
  readonly variables: Record<string, string>
}

export interface Begun {
  readonly id: string
  readonly order: RunOrder
  readonly ended: Promise<EndedRun>
  cancel(): void
}

type Change = Partial<Pick<AgentConfig, 'home' | 'timing' | 'limits' | 'env' | 'openJournal'>>

export async function agentUnderTest(change: Change = {}): Promise<AgentUnderTest> {
  const port = await freePort()
  const agent = new AgentUnderTest(mkdtempSync(join(tmpdir(), 'qd-agent-')), port, change)
  await agent.startAgent()
  return agent
}

export class AgentUnderTest {
  readonly directory: string
  readonly home: string
  readonly layout: Layout
  readonly remote: RemoteUnderTest
  readonly port: number
  readonly control = new ControlUnderTest()
  readonly log = memoryLog()
  /** As the next run is given it. */
  project: PlacedProject
  /** The same, and what goes with the order. */
  variables = { deploy: noVariables, rollback: noVariables }
  readonly #change: Change
  readonly #closing: (() => unknown)[] = []
  #agent: Agent | undefined

  constructor(directory: string, port: number, change: Change) {
    this.directory = directory
    this.home = change.home ?? join(directory, 'home')
    this.layout = layoutOf(this.home, 'hello')
    this.remote = remoteIn(directory)
    this.port = port
    this.#change = change
    this.project = serviceProject(this.remote.directory, port)
  }

  /** The commit of a service that behaves so. */
  commit(behaviour: string | readonly string[] = 'good', files: Record<string, string> = {}): string {
    return this.remote.commit({ ...serviceFiles(...[behaviour].flat()), ...files })
  }

  begin(change: Partial<Omit<RunOrder, 'id'>> = {}): Begun {
    const base = {
      kind: 'deploy' as const,
      ref: null,
      sent_before: [],
      discard: false,
      variables: this.variables,
      project: this.project,
    }
    const order: RunOrder = { id: randomUUIDv7(), ...base, ...change }
    const ended = this.control.run(order)
    const cancel = () => this.control.send({ type: 'cancel', run_id: order.id })
    return { id: order.id, order, ended, cancel }
  }

  deploy(change: Partial<Omit<RunOrder, 'id'>> = {}): Promise<EndedRun> {
    return this.begin(change).ended
  }

  /** The whole of a good first deploy. */
  async deployGood(): Promise<string> {
    const sha = this.commit()
    const ended = await this.deploy()
    if (ended.status !== 'succeeded')
      throw new Error(`The first deploy ${ended.status}: ${this.textOf(ended)}`)
    return sha
  }

  textOf({ progress }: EndedRun): string {
    return this.control.text(progress.run_id)
  }

  /** Until it is at the step, or as far as is said. */
  async untilStep(id: string, name: StepName, ...statuses: StepStatus[]): Promise<void> {
    const wanted = statuses.length > 0 ? statuses : ['running']
    const stepNow = () => this.control.progress(id)?.steps.find(step => step.name === name)
    await this.control.until(() => wanted.includes(stepNow()?.status ?? 'pending') || undefined)
  }

  /** What answers at the port now. */
  async version(): Promise<Answer> {
    const address = Object.values(networkInterfaces())
      .flat()
      .find(found => found?.family === 'IPv4' && !found.internal)?.address
    const response = await fetch(`http://${address ?? '127.0.0.2'}:${this.port}/version`)
    return (await response.json()) as Answer
  }

  head(): string {
    return git(this.layout.work, ['rev-parse', 'HEAD'])
  }

  /** Such as `['web <sha>', …]`: every start, in order. */
  starts(file = 'starts.log'): string[] {
    const path = join(this.layout.data, file)
    const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
    return lines.map(line => line.split(' ').slice(0, 2).join(' '))
  }

  /** Whether its end is on disk. */
  hasEnded(id: string): boolean {
    return readJournal(join(this.home, 'agent', 'runs', id, 'journal')).some(({ entry }) => entry === 'ended')
  }

  /** Programs of runs that are there; none should be when no run is. */
  strays() {
    return findTagged(`${this.#homeId()}:run:`)
  }

  async startAgent(): Promise<void> {
    const env = { PATH: process.env.PATH, HOME: this.directory, PIP_NO_INDEX: '1', ...this.#change.env }
    const timing = { ...quickTiming, ...this.#change.timing }
    const config = { home: this.home, name: 'here', root: this.directory, log: this.log.log }
    this.#agent = await start({ ...this.#change, ...config, env, timing })
    this.connect()
  }

  connect(): void {
    this.#agent!.connect(this.control.newLink())
  }

  async stopAgent(): Promise<void> {
    await this.#agent?.stop()
    this.#agent = undefined
  }

  /** As after a restart of the agent: control sends again what it has not heard the end of. */
  async restartAgent(...open: Begun[]): Promise<void> {
    await this.stopAgent()
    await this.startAgent()
    for (const { order } of open) this.control.order(order)
  }

  onClose(close: () => unknown): void {
    this.#closing.push(close)
  }

  /** Nothing of it lives on, however the test went. */
  async close(): Promise<void> {
    await this.stopAgent()
    await Promise.all(this.#closing.map(close => close()))
    const left = findTagged(`${this.#homeId()}:`)
    await Promise.all([...new Set(left.map(({ pgid }) => pgid))].map(pgid => endGroup(pgid, { graceMs: 0 })))
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 3 })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #homeId(): string {
    return createHash('sha256')
      .update(realpathSync(join(this.home, 'agent')))
      .digest('hex')
      .slice(0, 12)
  }
}
