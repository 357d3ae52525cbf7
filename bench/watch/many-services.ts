/**
 * Stands for ten thousand services, and costs as little as it can: `many-services.ts METRICS_FILE`. Each request is answered with
 * bytes that were made before; on the second port connections are taken and nothing is ever said.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'

const answer = (body: string, type: string) =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\nDate: Mon, 02 Mar 2026 09:00:00 GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=72\r\n\r\n${body}`
const json = (body: unknown) => answer(JSON.stringify(body), 'application/json; charset=utf-8')
const answers: Record<string, string> = {
  '/healthz': json({ ok: true }),
  '/readyz': json({ ok: true }),
  '/version': json({ name: 'hello', sha: '0123456789abcdef0123456789abcdef01234567' }),
  '/metrics': answer(readFileSync(process.argv[2]!, 'utf8'), 'text/plain; version=0.0.4; charset=utf-8'),
}

const answering = createServer({ noDelay: true }, socket => {
  socket.on('error', () => undefined)
  socket.on('data', bytes => {
    let said = ''
    for (const [, path] of bytes.toString('latin1').matchAll(/^GET (\S+)/gm)) said += answers[path!]
    socket.write(said, 'latin1')
  })
})
const hanging = createServer(socket => void socket.on('error', () => undefined).resume())
const backlog = 4096
await Promise.all([answering, hanging].map(server => once(server.listen(0, '0.0.0.0', backlog), 'listening')))
const [port, hangingPort] = [answering, hanging].map(server => (server.address() as AddressInfo).port)
process.stdout.write(`port ${port} hanging ${hangingPort}\n`)
process.once('SIGTERM', () => process.exit())
