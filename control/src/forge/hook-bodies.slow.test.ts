/** Who has no secret cannot have memory taken for what they send, and cannot keep out who has. */
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { commit, projectUnderTest } from '../deploy/under-test.ts'
import { controlUnderTest } from '../under-test.ts'
import { hookUnderTest, pushOf } from './under-test.ts'

const senders = 200
const megabyte = Buffer.alloc(1024 * 1024, 'x')
/** What all bodies together may take, and as much again for what is on its way. */
const mostBytes = 64 * 1024 * 1024

test('200 slow senders of a megabyte each take no more than their room, and a forge gets through', async () => {
  const under = await controlUnderTest()
  await projectUnderTest(under)
  const { deliver } = await hookUnderTest(under)
  const before = heldBytes()
  let answered = 0
  let written = 0
  for (let i = 0; i < senders; i++) {
    const socket = slowSender(under.port, `198.51.100.${i}`)
    socket.once('data', () => answered++)
    socket.write(megabyte, () => written++)
  }
  await until('most are sent away', () => answered >= senders - mostBytes / 2 / megabyte.length, 30_000)
  await until('all was sent', () => written === senders, 30_000)
  expect(heldBytes() - before).toBeLessThan(mostBytes)
  expect((await deliver(pushOf(commit(1), commit(2)))).status).toBe(202)
})

test('an address whose bodies never come whole has to wait, before any more of them is read', async () => {
  const under = await controlUnderTest()
  for (let i = 0; i < under.config.limits.bad_tokens_per_minute; i++) {
    const socket = slowSender(under.port, '198.51.100.7')
    await new Promise<void>(resolve => socket.write('x', () => resolve()))
    socket.destroy()
  }
  let answer = ''
  await until('it is refused', () => {
    const socket = slowSender(under.port, '198.51.100.7')
    socket.on('data', chunk => {
      answer += chunk
    })
    return answer.includes('too_many_bad_tokens')
  })
  expect(answer).toMatch(/^HTTP\/1\.1 429 /)
})

test('a call without a signature is refused before its body is read', async () => {
  const under = await controlUnderTest()
  let answer = ''
  const socket = slowSender(under.port, '198.51.100.8', '')
  socket.on('data', chunk => {
    answer += chunk
  })
  await until('it is refused', () => answer.includes('bad_signature'))
  expect(answer).toMatch(/^HTTP\/1\.1 403 /)
})

/** What somebody still has: what was read and let go may lie around for a while. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().arrayBuffers
}

/** Says that it will send 2 MB with a signature that could be right, and has sent nothing of them yet. */
function slowSender(
  port: number,
  from: string,
  signature = `X-Hub-Signature-256: sha256=${'a'.repeat(64)}\r\n`,
): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  socket.write(
    `POST /api/hooks/hello HTTP/1.1\r\nHost: admin\r\nX-Forwarded-For: ${from}\r\nContent-Type: application/json\r\n` +
      `${signature}Content-Length: ${2 * megabyte.length}\r\n\r\n`,
  )
  return socket
}
