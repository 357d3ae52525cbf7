/** Readiness: registered checks, each with a time limit, run together; the result is kept for a second. */
import type { Clock } from './clock.ts'

const keptForMs = 1000
const defaultLimitMs = 1000
/** A check that hangs is not begun again meanwhile, or its calls would pile up; a call that was lost must not count for ever. */
const hungForMs = 30_000
const longestReason = 300

/** Resolves when the dependency is there; throws, with a reason, when it is not. */
export type ReadinessCheck = () => unknown | Promise<unknown>

export interface CheckResult {
  name: string
  ok: boolean
  took_ms: number
  reason: string | null
}

export interface ReadinessResult {
  ok: boolean
  at: string
  checks: CheckResult[]
}

interface Registered {
  name: string
  run: ReadinessCheck
  limitMs: number
  /** When the call began that has not come back yet. */
  underWaySinceMs?: number | undefined
}

export class Readiness {
  #checks: Registered[] = []
  #clock: Clock
  #tellWhy: (result: ReadinessResult) => void
  #told = ''
  #latest: { result: Promise<ReadinessResult>; knownMs?: number } | undefined
  #stopping = false

  /** `tellWhy` hears of the first failure, and then each time that what fails, or why, has changed. */
  constructor(clock: Clock, tellWhy: (result: ReadinessResult) => void = () => {}) {
    this.#clock = clock
    this.#tellWhy = tellWhy
  }

  add(name: string, run: ReadinessCheck, limitMs = defaultLimitMs): void {
    this.#checks.push({ name, run, limitMs })
  }

  /** From now on the answer is no: a stop signal arrived. */
  stop(): void {
    this.#stopping = true
  }

  async ask(): Promise<ReadinessResult> {
    if (!this.#stopping) {
      const result = await this.#recent()
      // The stop may have come while the checks ran.
      if (!this.#stopping) return result
    }
    return this.#result([{ name: 'running', ok: false, took_ms: 0, reason: 'stopping' }])
  }

  /** What is being found out or was found out less than a second ago; else it is found out anew. */
  #recent(): Promise<ReadinessResult> {
    const { knownMs } = this.#latest ?? {}
    const old = knownMs !== undefined && this.#clock.monotonicMs() - knownMs >= keptForMs
    if (!this.#latest || old) this.#latest = { result: this.#runAll() }
    return this.#latest.result
  }

  async #runAll(): Promise<ReadinessResult> {
    const result = this.#result(await Promise.all(this.#checks.map(check => this.#run(check))))
    this.#latest = { result: Promise.resolve(result), knownMs: this.#clock.monotonicMs() }
    this.#tell(result)
    return result
  }

  #tell(result: ReadinessResult): void {
    const failures = result.checks.filter(check => !check.ok).map(({ name, reason }) => `${name}: ${reason}`)
    const news = failures.join('\n')
    if (news === this.#told) return
    this.#told = news
    this.#tellWhy(result)
  }

  #result(checks: CheckResult[]): ReadinessResult {
    return { ok: checks.every(check => check.ok), at: this.#clock.now().toISOString(), checks }
  }

  async #run(check: Registered): Promise<CheckResult> {
    const { name, limitMs } = check
    const startedMs = this.#clock.monotonicMs()
    const hungMs = startedMs - (check.underWaySinceMs ?? Number.NEGATIVE_INFINITY)
    const reason = hungMs < hungForMs ? 'still no answer' : await within(limitMs, () => this.#call(check))
    return { name, ok: reason === null, took_ms: Math.round(this.#clock.monotonicMs() - startedMs), reason }
  }

  async #call(check: Registered): Promise<void> {
    const sinceMs = this.#clock.monotonicMs()
    check.underWaySinceMs = sinceMs
    try {
      await check.run()
    } finally {
      if (check.underWaySinceMs === sinceMs) check.underWaySinceMs = undefined
    }
  }
}

/** Why it failed, or null. A check that never answers is left behind, not waited for. */
async function within(limitMs: number, run: ReadinessCheck): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<string>(resolve => {
    timer = setTimeout(() => resolve(`no answer within ${limitMs} ms`), limitMs)
  })
  try {
    const answer = (async () => {
      await run()
      return null
    })()
    return await Promise.race([answer, limit])
  } catch (error) {
    return reasonOf(error)
  } finally {
    clearTimeout(timer)
  }
}

/** A connection refused on several addresses has a code, but no message. */
function reasonOf(error: unknown): string {
  const text =
    error instanceof Error
      ? error.message || (error as NodeJS.ErrnoException).code || error.name
      : String(error)
  // One line of the log, whatever a driver has to say.
  return text.replace(/\s+/g, ' ').slice(0, longestReason)
}
