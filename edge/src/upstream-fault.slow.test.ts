import { once } from 'node:events'
import { createServer, connect as dial } from 'node:net'
import { Worker } from 'node:worker_threads'
import { errors } from '@quarterdeck/contract'
import { until } from '@quarterdeck/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ProjectRoute } from './main.ts'
import {
  answerTo,
  asking,
  edgeUnderTest,
  edgeWithProject,
  problemIn,
  targetOf,
  textOf,
} from './under-test.ts'
import { mebibyte } from './under-test-streams.ts'

async function edgeTo(target: ProjectRoute['target'], change = {}) {
  const under = await edgeUnderTest(change)
  under.edge.route([{ name: 'hello', target }])
  return under
}

/** A project that says these bytes to whatever it is asked, and leaves. */
const saying = (bytes: string) =>
  targetOf(
    createServer(socket => socket.on('error', () => {}).once('data', () => socket.end(bytes, 'latin1'))),
  )

async function nowhere() {
  const server = createServer()
  const target = await targetOf(server)
  server.close()
  await once(server, 'close')
  return target
}

test('where nothing listens the answer is 502, for programs and for people, and the log has the cause', async () => {
  const { ask, log } = await edgeTo(await nowhere())
  const reply = await ask('hello.example.com')
  const problem = problemIn(reply)
  expect(reply).toMatchObject({ status: 502, headers: { 'x-request-id': problem.request_id } })
  expect(problem).toMatchObject({
    code: 'upstream_refused',
    detail: 'The project hello did not answer: nothing listens where its web process should be.',
  })
  expect(log.lines).toContainEqual(
    expect.objectContaining({
      msg: problem.detail,
      request_id: problem.request_id,
      err: expect.objectContaining({ code: 'ECONNREFUSED' }),
    }),
  )
  const page = await ask('hello.example.com', '/', { headers: { accept: 'text/html' } })
  expect(page).toMatchObject({ status: 502, headers: { 'content-type': 'text/html; charset=utf-8' } })
  expect(page.body).toContain(errors.upstream_refused.title)
})

test('what was never deployed, or has no web process, is told apart', async () => {
  const { ask } = await edgeTo(null)
  expect(problemIn(await ask('hello.example.com'))).toMatchObject({
    status: 502,
    code: 'upstream_absent',
    detail: 'The project hello did not answer: it was never deployed, or it has no web process.',
  })
})

test('no answer tells an inner address', async () => {
  for (const target of [await nowhere(), { address: 'no-such-name.invalid', port: 4711 }]) {
    const { ask } = await edgeTo(target)
    for (const accept of ['*/*', 'text/html']) {
      const { status, body } = await ask('hello.example.com', '/', { headers: { accept } })
      expect(status).toBe(502)
      expect(body).not.toMatch(/127\.0\.0\.1|4711|invalid/)
      expect(body).not.toContain(String(target.port))
    }
  }
})

describe('broken', () => {
  test.each([
    ['says nothing', '', 'it closed the connection before it answered'],
    [
      'breaks off in the headers',
      'HTTP/1.1 200 OK\r\nContent-',
      'it closed the connection before it answered',
    ],
    ['speaks something else', 'SSH-2.0-OpenSSH_9.2p1\r\n', 'what it answered is not HTTP'],
    ['speaks TLS', '\u0015\u0003\u0001\u0000\u0002\u0002\u0016', 'what it answered is not HTTP'],
    ['gives no status', 'HTTP/1.1 000 No\r\n\r\n', 'what it answered is not HTTP'],
    [
      'gives two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'what it answered is not HTTP',
    ],
    [
      'gives too many headers',
      `HTTP/1.1 200 OK\r\nSet-Cookie: ${'x'.repeat(20_000)}\r\n\r\n`,
      'the headers of its answer are larger than 16 KiB',
    ],
  ])('a project that %s', async (_what, bytes, cause) => {
    const { ask } = await edgeTo(await saying(bytes))
    expect(problemIn(await ask('hello.example.com'))).toMatchObject({
      code: 'upstream_broken',
      detail: `The project hello did not answer: ${cause}.`,
    })
  })
})

describe('too late', () => {
  test('a project that does not begin to answer', async () => {
    const { ask, log } = await edgeTo(await targetOf(createServer(socket => void socket.resume())), {
      upstreamTimeoutMs: 50,
    })
    expect(problemIn(await ask('hello.example.com'))).toMatchObject({
      code: 'upstream_timeout',
      detail: 'The project hello did not answer: it did not begin to answer in time.',
    })
    expect(log.text()).toContain('no answer within 50 ms')
  })

  test('a project that does not read what it is sent', async () => {
    const deaf = createServer({ pauseOnConnect: true })
    const { edge } = await edgeTo(await targetOf(deaf), { upstreamTimeoutMs: 100 })
    const outgoing = asking(edge, { method: 'POST' })
    const answered = answerTo(outgoing)
    for (let i = 0; i < 30; i++) outgoing.write(mebibyte)
    expect(await textOf(await answered)).toContain('upstream_timeout')
  })

  test('not a project that waits for a slow client', async () => {
    const { edge } = await edgeWithProject(async (request, response) => response.end(await textOf(request)), {
      upstreamTimeoutMs: 50,
    })
    const outgoing = asking(edge, { method: 'POST' })
    const answered = answerTo(outgoing)
    const startedMs = performance.now()
    for (const pauseMs of [0, 120, 240]) {
      await until('a while has passed', () => performance.now() - startedMs >= pauseMs)
      outgoing.write('piece')
    }
    outgoing.end()
    expect(await textOf(await answered)).toBe('piecepiecepiece')
  })

  test('not an answer that has begun, however long it takes', async () => {
    const { edge } = await edgeWithProject((_request, response) => void response.write('first'), {
      upstreamTimeoutMs: 50,
    })
    const incoming = await answerTo(asking(edge).end())
    incoming.resume()
    const startedMs = performance.now()
    // Longer than an idle connection is kept, too.
    await until('a while has passed', () => performance.now() - startedMs > 1300)
    expect(incoming.destroyed).toBe(false)
  })

  test('a project that does not take the connection', async context => {
    const { port, isFull } = await full()
    if (!isFull)
      return context.skip('this system takes connections that no program has accepted, without end')
    const { ask } = await edgeTo({ address: '127.0.0.1', port })
    expect(problemIn(await ask('hello.example.com'))).toMatchObject({
      code: 'upstream_timeout',
      detail: 'The project hello did not answer: it did not take the connection in time.',
    })
  })
})

/** A port whose queue of connections is full, because its program stands still. */
async function full(): Promise<{ port: number; isFull: boolean }> {
  const standing = new Worker(
    `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:worker_threads').parentPort.postMessage(server.address().port)
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
    })`,
    { eval: true },
  )
  onTestFinished(async () => void (await standing.terminate()))
  const [port] = await once(standing, 'message')
  let isConnected = true
  for (let count = 0; isConnected && count < 10; count++) {
    const socket = dial({ port, host: '127.0.0.1' }).on('error', () => {})
    onTestFinished(() => void socket.destroy())
    isConnected = await until('it is connected', () => !socket.connecting, 2000).catch(() => false)
  }
  return { port, isFull: !isConnected }
}
