/** One line that shows that something takes its time, moving on a terminal; colours; times to be read. */
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const clearLine = '\r\u001b[2K'

/** @typedef {{ isTTY?: boolean, write(text: string): unknown }} Stream */

/**
 * Whether lines can be drawn over on a stream.
 * @param {Stream} stream
 */
export function isMoving(stream) {
  return Boolean(stream.isTTY) && process.env.TERM !== 'dumb'
}

/**
 * Whether a stream takes colours: a terminal, and NO_COLOR (no-color.org) is unset.
 * @param {Stream} stream
 */
export function hasColour(stream) {
  return isMoving(stream) && !process.env.NO_COLOR
}

/**
 * Paints text for a stream, or leaves it as it is.
 * @param {Stream} stream
 * @param {'red' | 'green' | 'dim'} colour
 * @param {string} text
 */
export function paint(stream, colour, text) {
  const codes = { red: 31, green: 32, dim: 2 }
  return hasColour(stream) ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text
}

/**
 * Seconds since a moment of `performance.now()`, to be read: "0.4 s", "12 s".
 * @param {number} start
 */
export function secondsSince(start) {
  const seconds = (performance.now() - start) / 1000
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
}

/**
 * Shows that `text` is under way until `work` has ended, however it ends.
 * @template T
 * @param {string} text
 * @param {() => Promise<T>} work
 * @param {Stream} [stream] stderr, so that the output of a command stays clean for pipes
 * @returns {Promise<T>}
 */
export async function withProgress(text, work, stream = process.stderr) {
  if (!isMoving(stream)) {
    stream.write(`${text} …\n`)
    return work()
  }
  const start = performance.now()
  let frame = 0
  const draw = () => {
    const sign = paint(stream, 'green', frames[frame++ % frames.length] ?? '')
    const time = paint(stream, 'dim', `${Math.floor((performance.now() - start) / 1000)} s`)
    stream.write(`${clearLine}${sign} ${text} ${time}`)
  }
  draw()
  const timer = setInterval(draw, 100)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    stream.write(clearLine)
  }
}
