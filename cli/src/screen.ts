/** Where progress is shown: on a terminal the last line lives, elsewhere every line stays. */
import type { WriteStream } from 'node:tty'
import { colours } from './colours.ts'

export interface Screen {
  write(text: string): void
  /** Whether a line can be written over. */
  readonly live: boolean
  readonly columns: number
  readonly paint: ReturnType<typeof colours>
}

export const screenOf = (stream: WriteStream & { fd: number }): Screen => ({
  write: text => stream.write(text),
  live: stream.isTTY === true && process.env.TERM !== 'dumb',
  columns: stream.columns ?? 80,
  paint: colours(stream),
})
