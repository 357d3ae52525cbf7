/** One look at real servers: with headers, over redirects, at the kit’s endpoints. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { urlExpectation } from '@quarterdeck/contract'
import { expect, onTestFinished, test } from 'vitest'
import { lookAtUrl, serverOf, type WatchedTarget } from './look-at-url.ts'
import { withoutMetadata } from './metadata-lookup.ts'

const now = new Date('2026-11-15T12:00:00Z')

async function served(listener: RequestListener) {
  const asked: { url: string; headers: Record<string, unknown> }[] = []
  const server = createServer((request, response) => {
    asked.push({ url: request.url!, headers: request.headers })
    listener(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const look = (path: string, change: Partial<WatchedTarget> = {}) =>
    lookAtUrl(
      {
        url: `http://127.0.0.1:${port}${path}`,
        expect: urlExpectation.parse({}),
        timeout_s: 0.3,
        is_kit: false,
        headers: {},
        ...change,
      },
      now,
    )
  return { look, asked, port }
}

test('what is sent along goes with the request, and the address is asked as it is written', async () => {
  const { look, asked, port } = await served((_request, response) => response.end('ok'))
  const seen = await look('/a%20b?c=d#e', { headers: { 'X-Key': 'sentinel', Authorization: 'Bearer x' } })
  expect(seen).toMatchObject({ ok: true, httpStatus: 200, reason: null, redirects: 0 })
  expect(asked).toMatchObject([
    {
      url: '/a%20b?c=d',
      headers: { 'x-key': 'sentinel', authorization: 'Bearer x', host: `127.0.0.1:${port}` },
    },
  ])
})

test('a redirect is followed on the same host, three times at most, and never to another', async () => {
  const { look, asked } = await served((request, response) => {
    const [, steps] = /^\/(\d+)$/.exec(request.url!) ?? []
    if (request.url === '/away') response.writeHead(302, { location: 'http://127.0.0.2:1/' }).end()
    else if (steps === '0') response.end('there')
    else response.writeHead(307, { location: `/${Number(steps) - 1}` }).end()
  })
  expect(await look('/3')).toMatchObject({ ok: true, httpStatus: 200, redirects: 3 })
  expect(asked.map(({ url }) => url)).toEqual(['/3', '/2', '/1', '/0'])
  expect(await look('/4')).toMatchObject({
    ok: false,
    httpStatus: 307,
    reason: { code: 'http', message: 'It leads on and on, more than 3 times.' },
  })
  expect(await look('/away', { headers: { 'x-key': 'sentinel' } })).toMatchObject({
    ok: false,
    reason: { code: 'http', message: 'It leads to another host (302).' },
  })
})

test('of an API of the environment the kit’s endpoints are asked, below its address', async () => {
  let ready = true
  const { look, asked } = await served((request, response) => {
    if (request.url?.endsWith('/version')) response.end('{"name":"hello","sha":"abc"}')
    else if (request.url?.endsWith('/readyz') && !ready) response.writeHead(503).end('{"ok":false}')
    else response.end('{"ok":true}')
  })
  expect(await look('/base/', { is_kit: true })).toMatchObject({ ok: true, httpStatus: 200 })
  expect(asked.map(({ url }) => url)).toEqual(['/base/healthz', '/base/version', '/base/readyz'])
  ready = false
  expect(await look('', { is_kit: true })).toMatchObject({
    ok: false,
    httpStatus: 503,
    reason: { code: 'http', message: '/readyz answers 503.' },
  })
})

test('one that hangs is told as such', async () => {
  const { look } = await served(() => undefined)
  expect(await look('/')).toMatchObject({ ok: false, httpStatus: null, reason: { code: 'timeout' } })
})

test('IPv6, ports and names become whom to ask', () => {
  const of = (url: string) => {
    const { host, port, isTls, authority } = serverOf(new URL(url))
    return [host, port, isTls, authority]
  }
  expect(of('https://a.example/x')).toEqual(['a.example', 443, true, 'a.example'])
  expect(of('http://a.example:81/')).toEqual(['a.example', 81, false, 'a.example:81'])
  expect(of('http://[::1]:81/')).toEqual(['::1', 81, false, '[::1]:81'])
})

test('a name that leads to where a cloud tells secrets cannot be looked up', async () => {
  const found = (...addresses: string[]) =>
    new Promise(resolve => {
      const system = ((_host, _options, done) =>
        done(null, addresses.map(address => ({ address, family: 4 })) as never, 4)) as LookupFunction
      withoutMetadata(system)('metadata.internal', { all: true }, (error, address) =>
        resolve(error?.code ?? address),
      )
    })
  expect(await found('192.0.2.1')).toEqual([{ address: '192.0.2.1', family: 4 }])
  expect(await found('192.0.2.1', '169.254.169.254')).toBe('ENOTFOUND')
  expect(await found('::ffff:169.254.169.254')).toBe('ENOTFOUND')
  const single = ((_host, _options, done) => done(null, '169.254.169.254', 4)) as LookupFunction
  const answer = new Promise(resolve => withoutMetadata(single)('a', {}, error => resolve(error?.code)))
  expect(await answer).toBe('ENOTFOUND')
})

test('names below localhost are found here, as the watch finds them', async () => {
  const { look, port } = await served((_request, response) => response.end('ok'))
  expect(await look('/', { url: `http://hello.localhost:${port}/` })).toMatchObject({
    ok: true,
    reason: null,
  })
})
