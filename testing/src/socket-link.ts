import type { Socket } from 'node:net'

/** Messages over a socket, one line of text each, as between machines. The other end may be killed at any time. */
export function socketLink(socket: Socket): {
  send(text: string): void
  onMessage(listener: (text: string) => void): void
  onClose(listener: () => void): void
  close(): void
} {
  let rest = ''
  socket.setEncoding('utf8')
  socket.on('error', () => socket.destroy())
  socket.pause()
  return {
    send: text => socket.writable && socket.write(`${text}\n`),
    onMessage(listener) {
      socket.on('data', chunk => {
        const lines = `${rest}${chunk}`.split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) listener(line)
      })
      socket.resume()
    },
    onClose: listener => socket.on('close', listener),
    close: () => socket.destroy(),
  }
}
