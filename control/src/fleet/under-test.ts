/** An agent for tests: it speaks the real protocol, does nothing on its own, and says what the test tells it to. */
import {
  type Confidential,
  type FromAgent,
  type Link,
  linkPair,
  type Question,
  type RunLogLine,
  type RunOrder,
  type RunOutcome,
  type RunProgress,
  type ToAgent,
  toAgent,
} from '@quarterdeck/contract'
import { until } from '@quarterdeck/testing'

export interface Order {
  order: RunOrder
  confidential: Confidential
  log_after: number
}

type Reported = Partial<Omit<RunProgress, 'run_id'>>

export class AgentUnderTest {
  /** Everything that control said, each checked against the contract. */
  readonly heard: ToAgent[] = []
  readonly machine: string
  /** Of its own endpoints; undefined: it is of a version that has none. */
  port: number | null | undefined
  /** What it answers when asked; nothing while undefined. */
  answer: ((question: Question) => unknown) | undefined = () => []
  /** Called with each order. */
  onOrder: (order: Order) => void = () => undefined
  isClosed = false
  readonly #attach: (link: Link) => void
  #link: Link | undefined

  constructor(attach: (link: Link) => void, machine = 'local') {
    this.#attach = attach
    this.machine = machine
  }

  /** Connects, or connects anew, and says hello. */
  connect({ hello = true } = {}): this {
    const [controlEnd, link] = linkPair()
    this.#link = link
    this.isClosed = false
    link.onMessage(text => this.#hear(toAgent.parse(JSON.parse(text))))
    link.onClose(() => {
      if (this.#link === link) this.isClosed = true
    })
    this.#attach(controlEnd)
    if (hello)
      this.say({
        type: 'hello',
        machine: this.machine,
        sha: '',
        ...(this.port !== undefined && { port: this.port }),
      })
    return this
  }

  disconnect(): void {
    this.#link?.close()
  }

  say(message: FromAgent): void {
    this.sayText(JSON.stringify(message))
  }

  sayText(text: string): void {
    this.#link?.send(text)
  }

  get orders(): Order[] {
    return this.heard.filter(message => message.type === 'run')
  }

  heardOf(type: 'cancel' | 'recorded', id: string): number {
    return this.heard.filter(message => message.type === type && message.run_id === id).length
  }

  /** Waits until a run was ordered this often. */
  ordered(id: string, times = 1): Promise<Order> {
    const of = () => this.orders.filter(({ order }) => order.id === id)
    return until(`run ${id} was ordered`, () => of().length >= times && of().at(-1))
  }

  progress(id: string, reported: Reported = {}): void {
    this.say({ type: 'run_progress', progress: progressOf(id, reported) })
  }

  log(id: string, lines: (Partial<RunLogLine> & { seq: number })[]): void {
    const whole = lines.map(line => ({
      at: '2026-01-01T00:00:00Z',
      step: null,
      text: `${line.seq}`,
      ...line,
    }))
    this.say({ type: 'run_log', run_id: id, lines: whole })
  }

  end(id: string, outcome: Partial<RunOutcome> = {}, reported: Reported = {}): void {
    const whole = { status: 'succeeded', error: null, restored_sha: null, ...outcome } as const
    this.say({ type: 'run_ended', progress: progressOf(id, reported), outcome: whole })
  }

  fail(id: string, message = 'hello exited with code 1.'): void {
    this.end(id, { status: 'failed', error: { code: 'verify_failed', message } })
  }

  #hear(message: ToAgent): void {
    this.heard.push(message)
    if (message.type === 'run') this.onOrder(message)
    if (message.type === 'ask' && this.answer) {
      const value = this.answer(message.question) as never
      this.say({ type: 'reply', id: message.id, error: null, value })
    }
  }
}

const progressOf = (run_id: string, reported: Reported): RunProgress => ({
  run_id,
  kind: 'deploy',
  ref_sha: null,
  sha: null,
  steps: [],
  ...reported,
})
