/** What every adapter of the kit must do, asked over real HTTP. */
import { type IncomingHttpHeaders, request as send } from 'node:http'
import { connect } from 'node:net'
import { FakeClock, temporaryDirectory, until } from '@quarterdeck/testing'
import { describe, expect, test } from 'vitest'
import { Kit } from '../kit.ts'
import { unmatchedEndpoint } from '../metrics.ts'

/**
 * Puts the kit on the framework and serves two routes besides: `itemTemplate` answers `an item`, and `/wait` never
 * answers. Resolves to the port.
 */
export type ServeKit = (kit: Kit) => Promise<{ port: number; itemTemplate: string; itemPath: string }>

interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

export function adapterSuite(name: string, serve: ServeKit): void {
  describe(`the kit on ${name}`, () => {
    async function start(checks = {}) {
      const kit = new Kit({ name: 'hello', root: temporaryDirectory(), checks, clock: new FakeClock() })
      const served = await serve(kit)
      return { kit, ...served, ask: askerOf(served.port) }
    }

    test('health, readiness and version are the specification’s, to the byte', async () => {
      const { ask } = await start()
      const bodies = {
        '/healthz': '{"ok":true}',
        '/readyz': '{"ok":true}',
        '/version': '{"name":"hello","sha":"unknown"}',
      }
      for (const [path, body] of Object.entries(bodies)) {
        const { status, headers, text } = await ask(path)
        expect([path, status, text]).toEqual([path, 200, body])
        expect(headers).toMatchObject({
          'content-type': 'application/json; charset=utf-8',
          'content-length': String(body.length),
          'cache-control': 'no-store',
        })
      }
    })

    test('a query string does not matter', async () => {
      const { ask } = await start()
      expect(await ask('/healthz?from=a-probe')).toMatchObject({ status: 200, text: '{"ok":true}' })
    })

    test('not ready is 503, while health stays as it was', async () => {
      const { ask } = await start({ store: () => Promise.reject(new Error('away')) })
      expect(await ask('/readyz')).toMatchObject({
        status: 503,
        text: '{"ok":false}',
        headers: { 'cache-control': 'no-store' },
      })
      expect((await ask('/healthz')).status).toBe(200)
    })

    test('not ready from the moment of the stop', async () => {
      const { kit, ask } = await start()
      expect((await ask('/readyz')).status).toBe(200)
      kit.beginStop()
      expect(await ask('/readyz')).toMatchObject({ status: 503, text: '{"ok":false}' })
    })

    test('metrics come as text, or as OpenMetrics where that is preferred', async () => {
      const { ask } = await start()
      const text = await ask('/metrics')
      expect(text.headers).toMatchObject({
        'content-type': 'text/plain; version=0.0.4; charset=utf-8',
        'cache-control': 'no-store',
      })
      expect(text.text).toContain('# HELP http_requests_total Total HTTP requests\n')
      const openMetrics = await ask('/metrics', 'GET', { accept: 'application/openmetrics-text' })
      expect(openMetrics.headers['content-type']).toBe(
        'application/openmetrics-text; version=1.0.0; charset=utf-8',
      )
      expect(openMetrics.text.endsWith('\n# EOF\n')).toBe(true)
    })

    test('HEAD is as GET, without the body', async () => {
      const { ask } = await start()
      for (const path of ['/healthz', '/readyz', '/version']) {
        const { date: _got, ...get } = (await ask(path)).headers
        const head = await ask(path, 'HEAD')
        expect([path, head.status, head.text]).toEqual([path, 200, ''])
        expect(head.headers).toMatchObject(get)
      }
      const metrics = await ask('/metrics', 'HEAD')
      expect([metrics.status, metrics.text]).toEqual([200, ''])
      expect(Number(metrics.headers['content-length'])).toBeGreaterThan(1000)
    })

    test('requests are counted by method and route template', async () => {
      const { kit, ask, itemPath, itemTemplate } = await start()
      expect((await ask(`${itemPath}?a=1`)).text).toBe('an item')
      await ask(itemPath)
      await ask('/healthz', 'HEAD')
      await counted(kit, { [`GET ${itemTemplate}`]: 2, 'HEAD /healthz': 1 })
    })

    test('whatever no route matches is one endpoint, however many paths', async () => {
      const { kit, ask } = await start()
      const scanned = ['/a', '/b', '/c.php', '/__proto__', '/constructor', '/healthz/', '/%00']
      for (const path of scanned) expect((await ask(path)).status).toBe(404)
      expect((await ask('/healthz', 'DELETE')).status).toBe(404)
      const expected = { [`GET ${unmatchedEndpoint}`]: scanned.length }
      await until(
        'all are counted',
        async () => (await counts(kit))[`GET ${unmatchedEndpoint}`] === scanned.length,
      )
      expect(Object.keys(await counts(kit)).length).toBeLessThanOrEqual(Object.keys(expected).length + 1)
    })

    test('a client that leaves before the answer is counted, once', async () => {
      const { kit, port } = await start()
      const socket = connect({ port, host: '127.0.0.1' })
      socket.end('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n', () => socket.destroy())
      await counted(kit, { 'GET /wait': 1 })
    })
  })
}

/** Waits, because a request is counted when it has ended, which its client may know a little earlier. */
const counted = (kit: Kit, expected: Record<string, number>) =>
  until(
    `the counts are ${JSON.stringify(expected)}`,
    async () => JSON.stringify(await counts(kit)) === JSON.stringify(expected),
  )

async function counts(kit: Kit): Promise<Record<string, number>> {
  const { body } = await kit.metrics.render(undefined)
  const samples = body.matchAll(/^http_requests_total\{method="(\w+)",endpoint="([^"]+)"\} (\d+)$/gm)
  return Object.fromEntries(
    [...samples].map(([, method, endpoint, count]) => [`${method} ${endpoint}`, Number(count)]),
  )
}

const askerOf =
  (port: number) =>
  (path: string, method = 'GET', headers = {}): Promise<Reply> => {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const request = send({ port, host: '127.0.0.1', path, method, headers }, async response => {
      const text = (await response.setEncoding('utf8').toArray()).join('')
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
    })
    request.once('error', reject).end()
    return promise
  }
