/**
 * Someone has checked out a commit in `work/` and restarted the unit: what is not built yet was asked for by `align.mjs`, is
 * built here, and the unit restarted on it. It is no run: it is shown as drift until someone deploys.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sha as wholeId } from '@quarterdeck/contract'
import type { Machine } from './machine.ts'
import { makeEnvironment } from './make-environment.ts'
import { endGroup, findTagged } from './processes.ts'
import { type Program, run } from './runner.ts'
import { startUnits } from './running.ts'
import { Site } from './site.ts'

const lookMs = 500
const strayGraceMs = 3000

export interface AlignmentsOptions {
  machine: Machine
  homeId: string
  /** A run of the project is under way, and decides. */
  isBusy(project: string): Promise<boolean>
}

export class Alignments {
  readonly #options: AlignmentsOptions
  readonly #directory: string
  readonly #ended = new AbortController()
  #looking: NodeJS.Timeout | undefined
  #working: Promise<void> = Promise.resolve()
  #isWorking = false

  constructor(options: AlignmentsOptions) {
    this.#options = options
    this.#directory = join(options.machine.agentHome, 'align')
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
  }

  start(): void {
    this.#take(() => this.#endStrays())
    this.#looking = setInterval(() => this.#look(), lookMs)
  }

  async stop(): Promise<void> {
    clearInterval(this.#looking)
    this.#ended.abort()
    await this.#working
  }

  /** What an earlier life was building is begun again: it is still asked for. */
  async #endStrays(): Promise<void> {
    const strays = findTagged(`${this.#options.homeId}:align:`)
    await Promise.all(strays.map(({ pgid }) => endGroup(pgid, { graceMs: strayGraceMs })))
  }

  #look(): void {
    if (this.#isWorking) return
    const [project] = readdirSync(this.#directory)
    if (project !== undefined) this.#take(() => this.#answer(project))
  }

  #take(work: () => Promise<void>): void {
    this.#isWorking = true
    this.#working = work()
      .catch(error => this.#options.machine.log.error({ err: error }, 'aligning with work/ failed'))
      .finally(() => {
        this.#isWorking = false
      })
  }

  /** Asked for until it is done, or has failed; only an agent that ends leaves it to the next one. */
  async #answer(project: string): Promise<void> {
    const file = join(this.#directory, project)
    const asked = readFileSync(file, 'utf8')
    try {
      await this.#build(project, wholeId.parse(asked.trim()))
    } finally {
      // Someone may have checked out another commit meanwhile.
      const isSame = textOf(file) === asked
      if (isSame && !this.#ended.signal.aborted) rmSync(file, { force: true })
    }
  }

  async #build(name: string, sha: string): Promise<void> {
    const { machine, homeId, isBusy } = this.#options
    const site = new Site(machine, name)
    const { proven } = site.state
    if (!proven || (await isBusy(name))) return
    machine.log.info({ project: name, sha }, 'building what was checked out in work/')
    const tag = `${homeId}:align:${name}`
    const options = { signal: this.#ended.signal, timeoutMs: proven.project.limits.install_s * 1000, tag }
    const ask = (program: Program) => run(program, options)
    const scope = { run: ask, ask, log: (line: string) => machine.log.info({ project: name }, line) }
    const ordered = proven.ordered ?? proven.project
    await site.releases.make(sha, ask, ordered)
    const placing = site.placing(sha, ordered)
    const { project } = placing
    const making = { machine, site, project, sha, label: sha.slice(0, 8) }
    const { hash: environment } = await makeEnvironment(making, scope, async () => undefined)
    // A run that was ordered meanwhile decides.
    if (await isBusy(name)) return
    // Its start aligns `current` with what is ready now.
    const attempt = `align ${sha} at ${machine.clock.now().toISOString()}`
    const placed = { ...proven, ...placing, environment }
    await startUnits(machine, site, placed, attempt, this.#ended.signal)
    for (const { name: process } of project.processes) machine.units.settle(name, process)
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
