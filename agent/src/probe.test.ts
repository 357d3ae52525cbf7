import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freePort } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { answersOn, look } from './probe.ts'

const sha = 'a'.repeat(40)
const never = new AbortController().signal

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const lookAt = async (answer: RequestListener, limitMs?: number) =>
  look(await serve(answer), sha, never, limitMs)

/** Good but for one path. */
const spoilt =
  (path: string, status: number, body: string): RequestListener =>
  (request, response) => {
    const good = JSON.stringify(request.url === '/version' ? { sha } : { ok: true })
    response.writeHead(request.url === path ? status : 200).end(request.url === path ? body : good)
  }

test.for([
  ['/none', 200, '', 'good', 'good'],
  ['/healthz', 404, 'not found', 'unhealthy', '/healthz answered 404 without JSON'],
  ['/healthz', 200, '{"ok":"yes"}', 'unhealthy', '/healthz answered 200 {"ok":"yes"}'],
  ['/readyz', 503, '{"ok":true}', 'unready', '/readyz answered 503 {"ok":true}'],
  ['/readyz', 200, 'null', 'unready', '/readyz answered 200 null'],
  ['/version', 200, `{"sha":"${'b'.repeat(40)}"}`, 'version', 'b'.repeat(40)],
  ['/version', 200, '{"sha":7}', 'version', 'nothing (answered 200 {"sha":7})'],
  ['/version', 500, `{"sha":"${sha}"}`, 'version', sha],
  ['/version', 200, '{"sha":"\\u001b[31m\\u2028"}', 'version', '�[31m�'],
] as const)('%s with %i and %j is %s', async ([path, status, body, kind, what]) => {
  expect(await lookAt(spoilt(path, status, body))).toEqual({ kind, what })
})

test('who takes the connection and does not answer is silent', async () => {
  expect(await lookAt(() => undefined, 100)).toEqual({ kind: 'silent', what: 'no answer in 0.1 s' })
})

test('an answer without end is broken off', async () => {
  const flood: RequestListener = (_, response) => {
    const more = () => !response.destroyed && response.write('x'.repeat(65_536), () => setImmediate(more))
    more()
  }
  expect(await lookAt(flood)).toEqual({ kind: 'silent', what: 'an answer without end' })
})

test('an answer that stays half-way is silent', async () => {
  const half: RequestListener = (_, response) => void response.writeHead(200).write('{"ok":')
  expect(await lookAt(half, 100)).toMatchObject({ kind: 'silent' })
})

test('nobody there is refused', async () => {
  const port = await freePort()
  expect(await look(`http://127.0.0.1:${port}`, sha, never)).toMatchObject({
    kind: 'refused',
  })
  expect(await answersOn('127.0.0.1', port)).toBe(false)
})

test('a look that is broken off gives the reason', async () => {
  const base = await serve(() => undefined)
  const over = new AbortController()
  const looking = look(base, sha, over.signal)
  over.abort(new Error('enough'))
  await expect(looking).rejects.toThrow('enough')
})
