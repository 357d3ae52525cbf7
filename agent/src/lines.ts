/**
 * The bytes that a program writes become lines that are safe to keep and to show: valid text, no terminal commands, no
 * secrets, and never long, whatever the program does.
 */
import { maskSecrets } from '@quarterdeck/contract'

/** What is shown of one line, in bytes. */
const shownBytes = 4096
/** What is held of one line until it ends: more than is shown, because terminal commands go. */
const heldBytes = 8192
/** Of a line that was longer than is held, the end is not shown: it may be half a secret, which no mask knows. */
const doubtfulBytes = 1024

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** CSI; then OSC and the other strings with an end; then the short ones. A string without an end stays readable. */
const terminalCommands =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]/g
/** Replaces what is not UTF-8. One for all lines: making one takes longer than decoding a line. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const otherControls = /(?!\t)\p{Cc}/gu

/** Takes bytes as they come and gives each line when it has ended. Holds at most 8 KiB, even of an endless line. */
export class Lines {
  readonly #onLine: (line: string) => void
  readonly #held = Buffer.allocUnsafe(heldBytes)
  #length = 0
  #skipped = 0
  #returned = false

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  push(chunk: Uint8Array): void {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(lineFeed, start)
      this.#add(chunk.subarray(start, end < 0 ? chunk.length : end))
      if (end < 0) return
      this.#give()
      start = end + 1
    }
  }

  /** Nothing more comes: what has no line end is a line, too. */
  end(): void {
    if (this.#length > 0) this.#give()
  }

  /** A progress bar goes back to the start of the line and writes over it: what came last counts. */
  #add(part: Uint8Array): void {
    let end = part.length
    while (end > 0 && part[end - 1] === carriageReturn) end -= 1
    if (end > 0) {
      const last = part.lastIndexOf(carriageReturn, end - 1)
      if (this.#returned || last >= 0) this.#clear()
      this.#hold(part.subarray(last + 1, end))
    }
    if (end < part.length) this.#returned = true
  }

  #hold(bytes: Uint8Array): void {
    const taken = bytes.subarray(0, heldBytes - this.#length)
    this.#held.set(taken, this.#length)
    this.#length += taken.length
    this.#skipped += bytes.length - taken.length
  }

  #give(): void {
    const line = cleanLine(this.#held.subarray(0, this.#length), this.#skipped)
    this.#clear()
    this.#onLine(line)
  }

  #clear(): void {
    this.#length = 0
    this.#skipped = 0
    this.#returned = false
  }
}

/** All lines of a piece of a log. */
export function linesOf(bytes: Uint8Array): string[] {
  const found: string[] = []
  const lines = new Lines(line => found.push(line))
  lines.push(bytes)
  lines.end()
  return found
}

/** Secrets are masked before the line is cut, or half a secret would go through. */
function cleanLine(bytes: Uint8Array, skipped: number): string {
  const decoded = utf8.decode(bytes)
  const text = maskSecrets(decoded.replace(terminalCommands, '').replace(otherControls, visible))
  return cut(text, skipped)
}

/** The sign that Unicode has for a control character; the ones above ASCII have none. */
function visible(control: string): string {
  const code = control.charCodeAt(0)
  if (code === 0x7f) return '\u2421'
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd'
}

function cut(text: string, skipped: number): string {
  const bytes = Buffer.byteLength(text)
  const limit = skipped > 0 ? Math.min(shownBytes, Math.max(0, bytes - doubtfulBytes)) : shownBytes
  if (bytes <= limit && skipped === 0) return text
  // Stops before a character that would not fit whole.
  const { read, written } = new TextEncoder().encodeInto(text, new Uint8Array(limit))
  return `${text.slice(0, read)} … (${bytes - written + skipped} bytes more)`
}
