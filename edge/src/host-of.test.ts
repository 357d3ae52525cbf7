import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hostOf } from './host-of.ts'

const asking = (host: string | undefined, url = '/') =>
  ({
    url,
    headers: { host },
    rawHeaders: host === undefined ? [] : ['Host', host],
  }) as unknown as IncomingMessage

test.each([
  ['example.com', 'example.com'],
  ['admin.localhost:8300', 'admin.localhost'],
  ['Admin.Example.COM', 'admin.example.com'],
  ['example.com.', 'example.com'],
  ['example.com.:80', 'example.com'],
  ['example.com:', 'example.com'],
  ['192.0.2.7:8300', '192.0.2.7'],
  ['[2001:DB8::1]', '2001:db8::1'],
  ['[::1]:8300', '::1'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['my_service.localhost', 'my_service.localhost'],
])('%s names %s', (header, host) => {
  expect(hostOf(asking(header))).toBe(host)
})

test.each([
  [undefined],
  [''],
  ['.'],
  ['.example.com'],
  [':80'],
  ['example.com:port'],
  ['example.com:123456'],
  ['example.com:80:80'],
  ['user@example.com'],
  ['example.com/path'],
  ['example.com example.org'],
  ['a,b'],
  ['::1'],
  ['[::1'],
  ['[]'],
  ['[::1]evil.com'],
  ['bücher.example'],
  ['<script>'],
  ['a\r\nb'],
  ['exa%6dple.com'],
])('%j is no host', header => {
  expect(hostOf(asking(header))).toBeUndefined()
})

test('two Host headers are none, even when they are alike', () => {
  const request = asking('example.com')
  request.rawHeaders.push('accept', '*/*', 'hOST', 'example.com')
  expect(hostOf(request)).toBeUndefined()
})

test('a value that reads Host is no header', () => {
  const request = asking('example.com')
  request.rawHeaders.push('x-note', 'Host')
  expect(hostOf(request)).toBe('example.com')
})

describe('an absolute target goes before the Host header, and is made relative', () => {
  test.each([
    ['http://admin.example.com/api?a=1', 'admin.example.com', '/api?a=1'],
    ['HTTPS://Admin.Example.com:8300', 'admin.example.com', '/'],
    ['http://admin.example.com?a=1', 'admin.example.com', '/?a=1'],
    ['http://[::1]:80/x', '::1', '/x'],
    ['http://admin.example.com//evil.com/', 'admin.example.com', '//evil.com/'],
    ['http://user@admin.example.com/', undefined, '/'],
    ['http:///x', undefined, '/x'],
  ])('%s', (url, host, path) => {
    const request = asking('other.example.com', url)
    expect(hostOf(request)).toBe(host)
    expect(request.url).toBe(path)
    expect(request.headers.host).not.toBe('other.example.com')
  })
})

test('other schemes and plain paths leave the Host header to decide', () => {
  for (const url of ['/http://evil.com/', 'ftp://evil.com/', '*', '//evil.com/']) {
    const request = asking('example.com', url)
    expect([hostOf(request), request.url]).toEqual(['example.com', url])
  }
})

test('whatever comes, it is a clean name or none', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webAuthority({ withPort: true }),
    fc.stringMatching(/^[a-z:.[\]@/]*$/),
  )
  fc.assert(
    fc.property(text, text, (host, url) => {
      for (const request of [asking(host, url), asking(host, `http://${url}`)]) {
        expect(hostOf(request) ?? 'none').toMatch(/^[a-z0-9:._-]+$/)
      }
    }),
    { numRuns: 1000 },
  )
})
