/** A link over a stream, such as a socket: one line of text for each message. */
import type { Duplex } from 'node:stream'
import type { Link } from './link.ts'

/** What one message may hold. Whoever sends more has lost its mind, and is cut off. */
const longestMessage = 64 * 1024 * 1024

export function streamLink(stream: Duplex): Link {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('error', () => stream.destroy())
  stream.pause()
  return {
    // JSON holds no line breaks.
    send: text => {
      if (stream.writable) stream.write(`${text}\n`)
    },
    onMessage(listener) {
      stream.on('data', (chunk: string) => {
        const lines = `${rest}${chunk}`.split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) listener(line)
        if (rest.length > longestMessage) stream.destroy()
      })
      stream.resume()
    },
    onClose: listener => stream.on('close', listener),
    close: () => stream.destroy(),
  }
}
