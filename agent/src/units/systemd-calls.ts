/** Asks systemd and tells it what to do, by its own programs. */
import { RunFault } from '@quarterdeck/contract'
import { askVersion, daemonReload, showUnits } from '../commands/systemctl.ts'
import type { Finished, Program, run } from '../runner.ts'
import { noFacts, readFacts, shownProperties, type UnitFacts } from './systemd-facts.ts'
import { Turns } from './turns.ts'

const limitMs = 120_000
const captureBytes = 8 * 1024 * 1024
const never = new AbortController().signal

export class SystemdCalls {
  readonly #run: typeof run
  readonly #tag: string
  readonly #asking = new Turns()
  readonly #reloads = new Turns()
  #nextReload: Promise<void> | undefined
  #version: Promise<number> | undefined

  constructor(runner: typeof run, tag: string) {
    this.#run = runner
    this.#tag = tag
  }

  /** To its end, whatever that is; only an aborted signal rejects, with its reason. */
  async call(program: Program, signal: AbortSignal = never, timeoutMs = limitMs): Promise<Finished> {
    const options = { signal, timeoutMs, tag: this.#tag, maxCaptureBytes: captureBytes }
    const finished = await this.#run(program, options)
    signal.throwIfAborted()
    return finished
  }

  /** For what can only fail when something is wrong with the machine. */
  async must(program: Program, signal?: AbortSignal): Promise<string> {
    const { code, stdout, stderr } = await this.call(program, signal)
    if (code === 0) return stdout
    const said = stderr.trim() || `it ended with ${code}`
    throw new RunFault('restart_failed', `${program.file} ${program.args.join(' ')} failed: ${said}`)
  }

  /** One after the other: an answer must never be older than one that was given before. */
  facts(services: readonly string[]): Promise<Map<string, UnitFacts>> {
    return this.#asking.take(async () => {
      if (services.length === 0) return new Map()
      return readFacts(await this.must(showUnits(services, shownProperties)))
    })
  }

  async factsOf(unit: string): Promise<UnitFacts> {
    return (await this.facts([unit])).get(unit) ?? noFacts
  }

  /** Such as 252. Asked once: an upgrade of systemd restarts the agent's machine or leaves the old one running. */
  version(): Promise<number> {
    this.#version ??= this.must(askVersion()).then(text => Number(/^systemd (\d+)/.exec(text)?.[1] ?? 0))
    this.#version.catch(() => {
      this.#version = undefined
    })
    return this.#version
  }

  /** Has systemd read all files that are there now. It takes long: who asks before it has begun shares it. */
  reload(): Promise<void> {
    this.#nextReload ??= this.#reloads.take(async () => {
      this.#nextReload = undefined
      await this.must(daemonReload())
    })
    return this.#nextReload
  }
}
