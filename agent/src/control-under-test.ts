/** Stands in for control: speaks the real protocol to an agent, and keeps what the agent tells. */
import { randomUUIDv7 } from 'node:crypto'
import {
  type FromAgent,
  fromAgent,
  type GitAccess,
  type Instance,
  type Link,
  linkPair,
  noVariables,
  type PlacedProject,
  type Question,
  RunFault,
  type RunLogLine,
  type RunOrder,
  type RunOutcome,
  type RunProgress,
  type ToAgent,
  type UnitAction,
  type VariableSet,
} from '@quarterdeck/contract'

export interface EndedRun extends RunOutcome {
  readonly progress: RunProgress
}

const empty: VariableSet = { id: noVariables, values: {}, secrets: [] }

type Told<Type extends FromAgent['type']> = Extract<FromAgent, { type: Type }>

export class ControlUnderTest {
  /** All that was told, in order. What breaks the protocol ends the test: it is thrown where nobody catches it. */
  readonly told: FromAgent[] = []
  #link: Link | undefined
  readonly #waiting = new Set<() => void>()

  /** Gives the agent's end of a new connection. */
  newLink(): Link {
    const [mine, theirs] = linkPair()
    this.#link = mine
    mine.onMessage(text => {
      this.told.push(fromAgent.parse(JSON.parse(text)))
      for (const look of this.#waiting) look()
    })
    return theirs
  }

  disconnect(): void {
    this.#link?.close()
  }

  send(message: ToAgent): void {
    this.#link?.send(JSON.stringify(message))
  }

  /** What goes with every order. */
  variables: VariableSet[] = []
  git: GitAccess | null | undefined = null

  order(order: RunOrder, logAfter = 0): void {
    const { variables, git } = this
    const confidential = { variables, ...(git !== undefined && { git }) }
    this.send({ type: 'run', order, confidential, log_after: logAfter })
  }

  run(order: RunOrder, logAfter = 0): Promise<EndedRun> {
    this.order(order, logAfter)
    return this.ended(order.id)
  }

  act(action: UnitAction, project: PlacedProject, variables = empty): Promise<unknown> {
    return this.ask({ what: 'act', action, project, variables })
  }

  /** The first end of it that is told, from the beginning. */
  ended(id: string): Promise<EndedRun> {
    return this.until(() => {
      const ended = this.all('run_ended').find(({ progress }) => progress.run_id === id)
      return ended && { ...ended.outcome, progress: ended.progress }
    })
  }

  isOver(id: string): boolean {
    return this.all('run_ended').some(({ progress }) => progress.run_id === id)
  }

  async ask(question: Question): Promise<unknown> {
    const id = randomUUIDv7()
    this.send({ type: 'ask', id, question })
    const { error, value } = await this.until(() => this.all('reply').find(reply => reply.id === id))
    if (error) throw new RunFault(error.code as never, error.message)
    return value
  }

  /** Each line once, as control keeps them: what is told again is the same. */
  log(id: string): RunLogLine[] {
    const lines = this.all('run_log').flatMap(({ run_id, lines }) => (run_id === id ? lines : []))
    return [...new Map(lines.map(line => [line.seq, line])).values()].sort((a, b) => a.seq - b.seq)
  }

  text(id: string): string {
    return this.log(id)
      .map(({ text }) => text)
      .join('\n')
  }

  progress(id: string): RunProgress | undefined {
    const all = this.told.flatMap(message => ('progress' in message ? [message.progress] : []))
    return all.findLast(({ run_id }) => run_id === id)
  }

  instance(project: string): Instance | undefined {
    return this.all('instance').findLast(({ instance }) => instance.project === project)?.instance
  }

  all<Type extends FromAgent['type']>(type: Type): Told<Type>[] {
    return this.told.filter((message): message is Told<Type> => message.type === type)
  }

  /** Looks again with every message. */
  until<T>(condition: () => T | undefined): Promise<T> {
    return new Promise(resolve => {
      const look = () => {
        const found = condition()
        if (found === undefined) return
        this.#waiting.delete(look)
        resolve(found)
      }
      this.#waiting.add(look)
      look()
    })
  }
}
