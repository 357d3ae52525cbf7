/** A process that renders, seen from control: started when it is first asked, killed when it does not answer. */
import { type ChildProcess, fork } from 'node:child_process'
import type { Outcome, ToRender } from './rendered.ts'

const memoryMegabytes = 512

export interface RenderChildOptions {
  /** What renders. */
  program: string
  /** Where coloured code is kept. */
  cache: string
  /** How long one answer may take. */
  limitMs: number
}

export class RenderChild {
  readonly #options: RenderChildOptions
  #child: ChildProcess | undefined

  constructor(options: RenderChildOptions) {
    this.#options = options
  }

  /** One call at a time. Undefined: the process ended or did not answer. */
  async render(batch: readonly ToRender[]): Promise<Outcome[] | undefined> {
    const child = this.#child ?? this.#start()
    const { promise, resolve } = Promise.withResolvers<Outcome[] | undefined>()
    const hear = (outcomes: unknown) => resolve(outcomes as Outcome[])
    const lost = () => resolve(undefined)
    const limit = setTimeout(() => child.kill('SIGKILL'), this.#options.limitMs)
    child.once('message', hear).once('exit', lost).once('error', lost)
    if (child.connected) child.send(batch, error => error && lost())
    else lost()
    const outcomes = await promise
    clearTimeout(limit)
    child.off('message', hear).off('exit', lost).off('error', lost)
    if (!outcomes) this.close()
    return outcomes
  }

  close(): void {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }

  #start(): ChildProcess {
    const { program, cache } = this.#options
    const child = fork(program, [cache], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [`--max-old-space-size=${memoryMegabytes}`],
      // Nothing of control’s own: there are secrets in it.
      env: { PATH: process.env.PATH },
    })
    // What is heard between two questions: that it ended, which the next question finds out.
    child.on('error', () => undefined)
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined
    })
    child.unref()
    child.channel?.unref()
    this.#child = child
    return child
  }
}
