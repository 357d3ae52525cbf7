/** A unit's own log: one file that its process appends to, kept small, and read as clean lines. */
import {
  appendFileSync,
  closeSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import type { UnitLog } from '@quarterdeck/contract'
import { linesOf } from '../lines.ts'

/** The most that one answer reads. */
const readBytes = 1024 * 1024
const lineFeed = 0x0a

export class LogFile {
  readonly path: string
  readonly #maxBytes: number

  constructor(path: string, maxBytes: number) {
    this.path = path
    this.#maxBytes = maxBytes
  }

  /**
   * Too long: its end is copied to `.1`, and the file emptied where it is, because the process holds it open (and appends,
   * so that it goes on at the start). Lines written between the two are lost: that is the price of needing no pipe.
   */
  bound(): void {
    if (sizeOf(this.path) <= this.#maxBytes) return
    const kept = this.#tail(this.path, this.#maxBytes)
    writeFileSync(`${this.path}.1`, afterFirstLine(kept), { mode: 0o600 })
    truncateSync(this.path)
  }

  /** The last words of one process and the first of the next are two lines. */
  endLine(): void {
    const last = this.#tail(this.path, 1)
    if (last.length > 0 && last[0] !== lineFeed) appendFileSync(this.path, '\n')
  }

  /** `isWritten`: a process is at it, and a line without an end is not whole yet. */
  read(from: number | null, count: number, isWritten: boolean): UnitLog {
    const size = sizeOf(this.path)
    if (from === null) return this.#last(size, count, isWritten)
    // It was emptied since.
    const start = from > size ? 0 : from
    const bytes = this.#range(this.path, start, Math.min(size, start + readBytes))
    const used = endOfLines(bytes, count, !isWritten && start + bytes.length >= size)
    return { lines: linesOf(bytes.subarray(0, used)), next: start + used }
  }

  remove(): void {
    rmSync(this.path, { force: true })
    rmSync(`${this.path}.1`, { force: true })
  }

  /** Goes back into `.1`, or the file would tell nothing just after it was emptied. */
  #last(size: number, count: number, isWritten: boolean): UnitLog {
    const start = Math.max(0, size - readBytes)
    const earlier = start > 0 ? Buffer.alloc(0) : this.#tail(`${this.path}.1`, readBytes)
    // One text, because a line may begin in the one file and end in the other.
    const bytes = Buffer.concat([earlier, this.#range(this.path, start, size)])
    const used = endOfLines(bytes, Number.POSITIVE_INFINITY, !isWritten)
    const whole = bytes.subarray(0, used)
    const lines = linesOf(start > 0 ? afterFirstLine(whole) : whole)
    const next = start + Math.max(0, used - earlier.length)
    return { lines: count > 0 ? lines.slice(-count) : [], next }
  }

  #tail(path: string, bytes: number): Buffer {
    const size = sizeOf(path)
    return this.#range(path, Math.max(0, size - bytes), size)
  }

  #range(path: string, start: number, end: number): Buffer {
    if (end <= start) return Buffer.alloc(0)
    const bytes = Buffer.alloc(end - start)
    const descriptor = openSync(path, 'r')
    try {
      return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, start))
    } finally {
      closeSync(descriptor)
    }
  }
}

/** 0: there is none yet. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function afterFirstLine(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.indexOf(lineFeed) + 1)
}

/** Where the first `count` lines end; `withRest`: what comes after the last line end is a line, too. */
function endOfLines(bytes: Buffer, count: number, withRest: boolean): number {
  let end = 0
  for (let found = 0; found < count; found += 1) {
    const next = bytes.indexOf(lineFeed, end)
    // Who follows the log must get on, also in a line that never ends.
    if (next < 0) return withRest || (end === 0 && bytes.length === readBytes) ? bytes.length : end
    end = next + 1
  }
  return end
}
