import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Fault } from '@quarterdeck/contract'
import { until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { type Room, UnprovenBodies } from './unproven-bodies.ts'

const kib = 1024

/** A server that reads bodies into one room, and keeps what came of each. */
async function reading(room: Room, atMost: number) {
  const bodies = new UnprovenBodies(room)
  const requests: IncomingMessage[] = []
  const read: (string | number)[] = []
  const server = createServer((request, response) => {
    const index = requests.push(request) - 1
    bodies.read(request, atMost).then(
      body => {
        read[index] = body.length
        response.end(body)
      },
      (fault: Fault) => {
        read[index] = fault.code
        response.writeHead(fault.entry.status).end()
      },
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const begin = async (text: string, more = ''): Promise<Socket> => {
    const before = requests.length
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${more}\r\n${text}`)
    await until('it has begun', () => requests.length > before)
    return socket
  }
  return { bodies, requests, read, begin }
}

const long = (bytes: number) => `Content-Length: ${bytes}\r\n`

test('a body is the bytes that came, in however many pieces', async () => {
  const { bodies, requests, read, begin } = await reading({ bytes: 64 * kib, bodies: 4 }, 32 * kib)
  const socket = await begin('', long(20_000))
  let answer = ''
  socket.on('data', chunk => {
    answer += chunk
  })
  const text = Array.from({ length: 20_000 }, (_, i) => String.fromCharCode(97 + (i % 26))).join('')
  for (let at = 0; at < text.length; at += 777) {
    socket.write(text.slice(at, at + 777))
    await new Promise(setImmediate)
  }
  await until('it is whole', () => read[0] === text.length)
  await until('it came back', () => answer.endsWith(text))
  // It has its place for as long as somebody works with it.
  expect(bodies.bytes).toBe(32 * kib)
  bodies.release(requests[0]!)
  bodies.release(requests[0]!)
  expect(bodies.bytes).toBe(0)
})

test('what is too large takes no place, whether it says so or not', async () => {
  const { bodies, read, begin } = await reading({ bytes: 64 * kib, bodies: 4 }, 32 * kib)
  await begin('', long(32 * kib + 1))
  await until('the first', () => read[0] === 'body_too_large')
  const size = (33 * kib).toString(16)
  await begin(`${size}\r\n${'x'.repeat(33 * kib)}`, 'Transfer-Encoding: chunked\r\n')
  await until('the second', () => read[1] === 'body_too_large')
  expect(bodies.bytes).toBe(0)
})

test('what breaks off takes no place', async () => {
  const { bodies, read, begin } = await reading({ bytes: 64 * kib, bodies: 4 }, 32 * kib)
  const socket = await begin('half', long(8))
  await until('half of it', () => bodies.bytes > 0)
  socket.destroy()
  await until('it is noticed', () => read[0] === 'malformed_request')
  expect(bodies.bytes).toBe(0)
})

test('when there is no room, what has been arriving longest gives way', async () => {
  const { bodies, read, begin } = await reading({ bytes: 64 * kib, bodies: 100 }, 32 * kib)
  for (let i = 0; i < 5; i++) await begin('x'.repeat(16 * kib), long(20 * kib))
  await until('one gave way', () => read[0] === 'request_timeout')
  expect(read).toEqual(['request_timeout'])
  await until('the others are held', () => bodies.bytes === 64 * kib)
  const last = await begin('x'.repeat(20 * kib), long(20 * kib))
  await until('the last is read', () => read[5] === 20 * kib)
  expect(read.slice(0, 3)).toEqual(['request_timeout', 'request_timeout', 'request_timeout'])
  last.destroy()
})

test('as many as there may be, however little each has sent', async () => {
  const { read, begin } = await reading({ bytes: 64 * kib, bodies: 3 }, 32 * kib)
  for (let i = 0; i < 5; i++) await begin('x', long(2))
  expect(read).toEqual(['request_timeout', 'request_timeout'])
})

test('when all that is held is whole, the new one gives way itself', async () => {
  const { bodies, read, begin } = await reading({ bytes: 32 * kib, bodies: 100 }, 32 * kib)
  await begin('x'.repeat(20 * kib), long(20 * kib))
  await until('it is whole', () => read[0] === 20 * kib)
  await begin('x'.repeat(20 * kib), long(20 * kib))
  await until('there is no room', () => read[1] === 'request_timeout')
  expect(bodies.bytes).toBeLessThanOrEqual(32 * kib)
})
