/** How a command ends early: with a sentence for the user and an exit code, or as a signal ended it. */
import { constants } from 'node:os'

/** Thrown where it is known that the command cannot go on; `run.mjs` turns it into output and exit code. */
export class Stop extends Error {
  /**
   * @param {string} message empty when everything was said already
   * @param {{ exitCode?: number, signal?: NodeJS.Signals }} [end]
   */
  constructor(message, { exitCode = 1, signal } = {}) {
    super(message)
    this.exitCode = exitCode
    this.signal = signal
  }
}

/**
 * Ends this process the way a child ended, so that whoever started us sees the same.
 * @param {{ code: number | null, signal: NodeJS.Signals | null }} result
 */
export function endLike({ code, signal }) {
  if (signal) {
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    process.exitCode = 128 + constants.signals[signal]
  } else {
    process.exitCode = code ?? 1
  }
}

/**
 * Ends this process as an error asks for; errors that are no `Stop` are ours and keep their stack.
 * @param {unknown} error
 */
export function endWith(error) {
  if (!(error instanceof Stop)) throw error
  if (error.message) process.stderr.write(`${error.message}\n`)
  endLike({ code: error.exitCode, signal: error.signal ?? null })
}
