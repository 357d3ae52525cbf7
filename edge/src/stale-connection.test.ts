import { createServer, type Socket } from 'node:net'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { edgeUnderTest, targetOf } from './under-test.ts'

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** A project that answers one request on each connection, and closes it when the second comes. */
async function start(onSecond: (socket: Socket) => void = socket => socket.resetAndDestroy()) {
  const under = await edgeUnderTest()
  const requests: string[] = []
  let connections = 0
  const closing = createServer(socket => {
    let count = 0
    connections++
    socket.on('error', () => {})
    socket.on('data', piece => {
      requests.push(piece.toString().split(' ', 1)[0]!)
      if (++count === 1) socket.write(answer)
      else onSecond(socket)
    })
  })
  under.edge.route([{ name: 'hello', target: await targetOf(closing) }])
  const client = await under.connect('GET / HTTP/1.1\r\nHost: hello.example.com\r\n\r\n')
  expect((await client.reply()).body).toBe('ok')
  const ask = async (method: string, rest = '\r\n') => {
    client.write(`${method} / HTTP/1.1\r\nHost: hello.example.com\r\n${rest}`)
    return (await client.reply(2)).status
  }
  return { ask, client, requests, connections: () => connections }
}

test.each(['GET', 'OPTIONS', 'PUT', 'DELETE'])(
  '%s on a connection that is just closed is sent again',
  async method => {
    const { ask, requests, connections } = await start()
    expect(await ask(method)).toBe(200)
    expect([requests, connections()]).toEqual([['GET', method, method], 2])
  },
)

test('also if the connection was closed in good order', async () => {
  const { ask, connections } = await start(socket => socket.end())
  expect(await ask('GET')).toBe(200)
  expect(connections()).toBe(2)
})

test('what is not idempotent is not sent again, body or none', async () => {
  for (const rest of ['\r\n', 'Content-Length: 4\r\n\r\nbody']) {
    const { ask, requests } = await start()
    expect(await ask('POST', rest)).toBe(502)
    expect(requests.filter(method => method === 'POST')).toHaveLength(1)
  }
})

test('a body of which some is gone is not sent again', async () => {
  const { ask, connections } = await start()
  expect(await ask('PUT', 'Content-Length: 4\r\n\r\nbody')).toBe(502)
  expect(connections()).toBe(1)
})

test('a body that has not come yet is sent on the new connection', async () => {
  const { client, requests, connections } = await start()
  client.write('PUT / HTTP/1.1\r\nHost: hello.example.com\r\nContent-Length: 4\r\n\r\n')
  await until('it was sent again', () => connections() === 2 && requests.length === 3)
  client.write('body')
  expect((await client.reply(2)).status).toBe(200)
})

test('an answer that has begun is not asked for again', async () => {
  const { ask, connections } = await start(socket => socket.end('HTTP/1.1 200'))
  expect(await ask('GET')).toBe(502)
  expect(connections()).toBe(1)
})

test('a project that closes every connection is asked twice, not for ever', async () => {
  let isClosing = false
  const { edge, connect } = await edgeUnderTest()
  let requests = 0
  const closing = createServer(socket =>
    socket
      .on('error', () => {})
      .on('data', () => {
        requests++
        if (isClosing) socket.resetAndDestroy()
        else socket.write(answer)
      }),
  )
  edge.route([{ name: 'hello', target: await targetOf(closing) }])
  const client = await connect('GET / HTTP/1.1\r\nHost: hello.example.com\r\n\r\n')
  await client.reply()
  isClosing = true
  client.write('GET / HTTP/1.1\r\nHost: hello.example.com\r\n\r\n')
  expect((await client.reply(2)).status).toBe(502)
  expect(requests).toBe(3)
})
