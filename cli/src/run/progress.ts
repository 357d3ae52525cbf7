/** A run on the screen: a line per step, its log below it, and on a terminal a last line that says what is done now. */
import type { Run, RunLogLine, Step } from '@quarterdeck/contract'
import { plain } from '../plain.ts'
import type { Screen } from '../screen.ts'
import { between, duration } from '../when.ts'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 100
const nameWidth = 'before_restart'.length
const clearLine = '\r\x1b[2K'

/** What shows a run that is followed. */
export interface View {
  run(run: Run): void
  log(line: RunLogLine): void
  note(text: string): void
  /** About the following, not the run: for standard error. */
  aside(text: string): void
  stop(): void
}

export const aside = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

export class Progress implements View {
  readonly #screen: Screen
  readonly #quiet: boolean
  readonly #shown = new Map<string, Step['status']>()
  #lastLogged: string | undefined
  #now: { label: string; sinceMs: number } | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(screen: Screen, { quiet = false }: { quiet?: boolean } = {}) {
    this.#screen = screen
    this.#quiet = quiet
    if (screen.live) this.#timer = setInterval(() => this.#redraw(), frameMs).unref()
  }

  run({ status, steps }: Run): void {
    if (status === 'queued') this.#begin('waiting')
    else if (this.#now?.label === 'waiting') this.#now = undefined
    const several = new Set(steps.map(({ machine }) => machine)).size > 1
    for (const step of steps) this.#step(step, several ? `  (${plain(step.machine)})` : '')
  }

  log({ step, text }: RunLogLine): void {
    // A line may come before the news that its step has begun.
    if (step && ![...this.#shown.keys()].some(key => key.endsWith(`/${step}`))) this.#begin(step)
    if (this.#quiet) return
    this.#lastLogged = text
    this.#line(this.#screen.paint.dim(`      ${plain(text)}`))
  }

  note(text: string): void {
    this.#line(`  ${this.#screen.paint.yellow(text)}`)
  }

  aside(text: string): void {
    if (this.#screen.live) this.#screen.write(clearLine)
    aside(text)
    this.#redraw()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    if (this.#screen.live) this.#screen.write(clearLine)
  }

  #step(step: Step, where: string): void {
    const key = `${step.machine}/${step.name}`
    if (step.status === 'pending' || this.#shown.get(key) === step.status) return
    this.#shown.set(key, step.status)
    if (step.status === 'running') this.#begin(step.name)
    else this.#ended(step, where)
  }

  #begin(label: string): void {
    if (this.#now?.label === label) return
    this.#now = { label, sinceMs: performance.now() }
    if (!this.#screen.live && !this.#quiet) this.#line(`  → ${label}`)
    this.#redraw()
  }

  #ended({ name, status, started_at, ended_at, detail }: Step, where: string): void {
    const { green, red, dim } = this.#screen.paint
    const mark = { succeeded: green('✓'), failed: red('✗'), skipped: dim('–') }[status as string] ?? ' '
    const took = status === 'skipped' ? '' : (between(started_at, ended_at) ?? '')
    // The log mostly ends with it.
    const isSaid = this.#lastLogged === detail || this.#lastLogged === `skipped: ${detail}`
    const more = isSaid ? '' : plain(detail ?? '')
    const text = `${name.padEnd(nameWidth)}  ${took.padStart(6)}  ${more}${where}`.trimEnd()
    if (this.#now?.label === name) this.#now = undefined
    this.#line(`  ${mark} ${status === 'skipped' ? dim(text) : text}`)
  }

  /** Above the line that lives. */
  #line(text: string): void {
    this.#screen.write(`${this.#screen.live ? clearLine : ''}${text}\n`)
    this.#redraw()
  }

  #redraw(): void {
    if (!this.#timer || !this.#now) return
    const { label, sinceMs } = this.#now
    const { cyan, dim } = this.#screen.paint
    const elapsed = duration(performance.now() - sinceMs).padStart(6)
    const frame = frames[Math.floor(performance.now() / frameMs) % frames.length]!
    // A line that wraps could not be written over.
    const text = `${label.padEnd(nameWidth)}  ${elapsed}`.slice(0, this.#screen.columns - 5)
    this.#screen.write(`${clearLine}  ${cyan(frame)} ${dim(text)}`)
  }
}
