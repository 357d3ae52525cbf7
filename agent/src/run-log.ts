/** The log of one run: numbered lines on disk, given out as they come, bounded by their first and last ones. */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { RunLogLine, StepName } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import { type Mask, noMask } from './variables/mask.ts'

/** Of each step: what comes first is kept as it comes, of the rest the last lines, when the step is over. */
const firstLines = 2000
const lastLines = 200

export interface RunLogOptions {
  file: string
  clock: Clock
  /** Hides the secrets of the project. */
  mask?: Mask
  onLines(lines: RunLogLine[]): void
}

export class RunLog {
  readonly #options: RunLogOptions
  readonly #waiting: RunLogLine[] = []
  #seq: number
  #step: StepName | null = null
  #written = 0
  #tail: string[] = []
  #leftOut = 0
  #flush: NodeJS.Immediate | undefined
  #isCutOff: boolean

  constructor(options: RunLogOptions) {
    this.#options = options
    mkdirSync(dirname(options.file), { recursive: true, mode: 0o700 })
    this.#seq = this.after(0).at(-1)?.seq ?? 0
    this.#isCutOff = !/(^|\n)$/.test(textOf(options.file))
  }

  /** Lines from now on are this step's. */
  enter(step: StepName | null): void {
    this.#closeStep()
    this.#step = step
  }

  write(line: string): void {
    const { mask = noMask } = this.#options
    const text = mask(line)
    if (this.#written < firstLines) {
      this.#written++
      this.#put(text)
      return
    }
    this.#tail.push(text)
    if (this.#tail.length > lastLines) {
      this.#tail.shift()
      this.#leftOut++
    }
  }

  /** Everything after a line, as it is on disk. */
  after(seq: number): RunLogLine[] {
    this.flush()
    return textOf(this.#options.file)
      .split('\n')
      .flatMap(line => parsed(line))
      .filter(line => line.seq > seq)
  }

  /** Puts what waits on disk and gives it out. */
  flush(): void {
    clearImmediate(this.#flush)
    this.#flush = undefined
    if (this.#waiting.length === 0) return
    const lines = this.#waiting.splice(0)
    const text = lines.map(line => `${JSON.stringify(line)}\n`).join('')
    try {
      // A line that a crash or a full disk cut off must not swallow the next one.
      const start = this.#isCutOff ? '\n' : ''
      this.#isCutOff = true
      appendFileSync(this.#options.file, start + text, { mode: 0o600 })
      this.#isCutOff = false
    } catch {
      // A full disk: control still gets them.
    }
    this.#options.onLines(lines)
  }

  close(): void {
    this.#closeStep()
    this.flush()
  }

  #put(text: string): void {
    this.#waiting.push({
      seq: ++this.#seq,
      at: this.#options.clock.now().toISOString(),
      step: this.#step,
      text,
    })
    // Many lines come at once: they go together.
    this.#flush ??= setImmediate(() => this.flush())
  }

  #closeStep(): void {
    if (this.#leftOut > 0) this.#put(`… ${this.#leftOut} lines left out …`)
    for (const text of this.#tail) this.#put(text)
    this.#tail = []
    this.#leftOut = 0
    this.#written = 0
  }
}

function parsed(line: string): RunLogLine[] {
  try {
    return [JSON.parse(line) as RunLogLine]
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
