/** What a program writes to one of its streams. */
import type { Readable } from 'node:stream'
import { Lines } from './lines.ts'

/** How long a pipe may stay open after the program's end: something it left behind may hold it for ever. */
const pipeGraceMs = 500
const defaultCaptureBytes = 1024 * 1024

export interface OutputOptions {
  readonly onLine?: (line: string) => void
  readonly maxCaptureBytes?: number
}

/** Captured up to a limit, and given on as lines. */
export class Output {
  readonly #stream: Readable
  readonly #closed: Promise<unknown>
  readonly #lines: Lines
  readonly #kept: Buffer[] = []
  #room: number

  constructor(
    stream: Readable,
    { onLine = () => undefined, maxCaptureBytes = defaultCaptureBytes }: OutputOptions,
  ) {
    this.#stream = stream
    this.#lines = new Lines(onLine)
    this.#room = maxCaptureBytes
    this.#closed = new Promise(resolve => stream.once('close', resolve))
    stream.on('error', () => undefined)
    stream.on('data', (chunk: Buffer) => this.#take(chunk))
  }

  async end(): Promise<void> {
    const late = setTimeout(() => this.#stream.destroy(), pipeGraceMs)
    await this.#closed
    clearTimeout(late)
    this.#lines.end()
  }

  text(): string {
    return Buffer.concat(this.#kept).toString('utf8')
  }

  #take(chunk: Buffer): void {
    const part = chunk.subarray(0, this.#room)
    this.#room -= part.length
    if (part.length > 0) this.#kept.push(part)
    this.#lines.push(chunk)
  }
}
