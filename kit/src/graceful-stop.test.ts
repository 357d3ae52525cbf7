import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { gracefulServer } from './graceful-stop.ts'

const farAwayMs = 60_000

interface Client {
  socket: Socket
  received(): string
}

/** A server that keeps idle connections for long, so that only a stop ends them. */
async function serve(handle: RequestListener) {
  const server = createServer({ keepAliveTimeout: farAwayMs }, handle)
  const graceful = gracefulServer(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(() => void graceful.stop(0))

  async function client(bytes = ''): Promise<Client> {
    const socket = connect({ port, host: '127.0.0.1' })
    let text = ''
    socket.on('data', chunk => {
      text += chunk
    })
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    socket.write(bytes)
    return { socket, received: () => text }
  }
  return { server, graceful, port, client }
}

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const closed = ({ socket }: Client) => until('the connection is closed', () => socket.closed)

/** Holds every request until its test lets it go. */
function holding() {
  const held: ServerResponse[] = []
  const handle: RequestListener = (_request, response) => void held.push(response)
  return { held, handle }
}

test('a request under way is answered, with Connection: close', async () => {
  const { held, handle } = holding()
  const { graceful, client } = await serve(handle)
  const asking = await client(get)
  await until('the request is under way', () => held.length === 1)
  const stopped = graceful.stop(farAwayMs)
  held[0]?.end('done')
  expect(await stopped).toEqual({ cutOff: 0 })
  await closed(asking)
  expect(asking.received()).toMatch(/^HTTP\/1.1 200 OK\r\nconnection: close\r\n/i)
  expect(asking.received().endsWith('\r\n\r\ndone')).toBe(true)
})

test('several requests under way on one connection are all answered', async () => {
  const { held, handle } = holding()
  const { graceful, client } = await serve(handle)
  const asking = await client(get + get)
  await until('both are under way', () => held.length === 2)
  const stopped = graceful.stop(farAwayMs)
  held[1]?.end('second')
  held[0]?.end('first')
  expect(await stopped).toEqual({ cutOff: 0 })
  await closed(asking)
  expect(asking.received()).toMatch(/\r\n\r\nfirstHTTP\/1.1 200 OK\r\nconnection: close\r\n/i)
  expect(asking.received().endsWith('\r\n\r\nsecond')).toBe(true)
})

test('an answer that has begun is finished', async () => {
  const { held, handle } = holding()
  const { graceful, client } = await serve(handle)
  const asking = await client(get)
  await until('the request is under way', () => held.length === 1)
  held[0]?.writeHead(200, { 'content-length': 8 }).write('half')
  const stopped = graceful.stop(farAwayMs)
  held[0]?.end('half')
  expect(await stopped).toEqual({ cutOff: 0 })
  await closed(asking)
  expect(asking.received().endsWith('\r\n\r\nhalfhalf')).toBe(true)
})

test('an idle connection is closed at once', async () => {
  const { graceful, client } = await serve((_request, response) => response.end('done'))
  const asking = await client(get)
  await until('the answer is there', () => asking.received().endsWith('done'))
  expect(await graceful.stop(farAwayMs)).toEqual({ cutOff: 0 })
  await closed(asking)
})

test('a connection on which nothing was ever said is closed', async () => {
  const { graceful, client, server } = await serve((_request, response) => response.end())
  const accepted = once(server, 'connection')
  const silent = await client()
  await accepted
  expect(await graceful.stop(farAwayMs)).toEqual({ cutOff: 0 })
  await closed(silent)
})

test('a request that was arriving when the stop began is answered, with Connection: close', async () => {
  const { held, handle } = holding()
  const { graceful, client, server } = await serve(handle)
  const connected = once(server, 'connection')
  const late = await client(get.slice(0, 10))
  const [accepted] = await connected
  await until('it has begun to ask', () => accepted.bytesRead > 0)
  const stopped = graceful.stop(farAwayMs)
  late.socket.write(get.slice(10))
  await until('the request is under way', () => held.length === 1)
  held[0]?.end('done')
  expect(await stopped).toEqual({ cutOff: 0 })
  await closed(late)
  expect(late.received()).toMatch(/^HTTP\/1.1 200 OK\r\nconnection: close\r\n/i)
})

test('new connections are refused', async () => {
  const { held, handle } = holding()
  const { graceful, client, port } = await serve(handle)
  await client(get)
  await until('the request is under way', () => held.length === 1)
  const stopped = graceful.stop(farAwayMs)
  const [error] = await once(connect({ port, host: '127.0.0.1' }), 'error')
  expect(error.code).toBe('ECONNREFUSED')
  held[0]?.end()
  await stopped
})

test('the limit cuts off what hangs, and counts requests, not connections', async () => {
  const { held, handle } = holding()
  const { graceful, client } = await serve(handle)
  const hung = [await client(get), await client(get)]
  await client('GET / HTTP/1.1\r\n')
  await until('both hang', () => held.length === 2)
  expect(await graceful.stop(20)).toEqual({ cutOff: 2 })
  await Promise.all(hung.map(closed))
  expect(hung.map(client => client.received())).toEqual(['', ''])
})

test('a second call is the same stop', async () => {
  const { held, handle } = holding()
  const { graceful, client } = await serve(handle)
  await client(get)
  await until('the request is under way', () => held.length === 1)
  const stopped = graceful.stop(farAwayMs)
  expect(graceful.stop(0)).toBe(stopped)
  held[0]?.end()
  expect(await stopped).toEqual({ cutOff: 0 })
})

test('stopping a server that never listened is no mistake', async () => {
  expect(await gracefulServer(createServer()).stop(farAwayMs)).toEqual({ cutOff: 0 })
})
