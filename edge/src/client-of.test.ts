import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clientReader } from './client-of.ts'

type Headers = Record<string, string>

const asking = (remoteAddress: string | undefined, headers: Headers = {}) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage

const client = (trusted: string[], peer: string | undefined, headers?: Headers) =>
  clientReader(trusted)(asking(peer, headers))

const from = (trusted: string[], peer: string, forwardedFor: string) =>
  client(trusted, peer, { 'x-forwarded-for': forwardedFor })

test('without proxies it is the peer', () => {
  expect(client([], '203.0.113.9')).toEqual({
    address: '203.0.113.9',
    scheme: 'http',
    loopback: false,
    requestId: undefined,
  })
})

test.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])('%s is this machine', peer => {
  expect(client([], peer).loopback).toBe(true)
})

test.each(['203.0.113.9', '::2', '1.127.0.0', '::ffff:10.0.0.1', 'fe80::1', undefined])('%s is not', peer => {
  expect(client([], peer).loopback).toBe(false)
})

test('an IPv4 address on an IPv6 socket is IPv4', () => {
  expect(client([], '::ffff:203.0.113.9').address).toBe('203.0.113.9')
})

describe('nobody is believed unless named', () => {
  const lies = {
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'https',
    'x-request-id': 'mine',
    forwarded: 'for=127.0.0.1',
  }

  test.each([[[]], [['10.0.0.0/8']]])('trusting %j', trusted => {
    expect(client(trusted, '203.0.113.9', lies)).toEqual({
      address: '203.0.113.9',
      scheme: 'http',
      loopback: false,
      requestId: undefined,
    })
  })

  test.each(['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'])(
    'a proxy on this machine that shows itself by %s takes loopback away',
    header => {
      const { address, loopback, scheme } = client([], '127.0.0.1', { [header]: '127.0.0.1' })
      expect({ address, loopback, scheme }).toEqual({ address: 'unknown', loopback: false, scheme: 'http' })
    },
  )
})

describe('behind a named proxy', () => {
  const proxies = ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']

  test.each([
    ['10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['192.0.2.7', '203.0.113.9', '203.0.113.9'],
    ['2001:db8::5', '203.0.113.9', '203.0.113.9'],
    ['::ffff:10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', '2001:db9::1', '2001:db9::1'],
    ['10.1.2.3', '::FFFF:203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', '203.0.113.9, 10.9.9.9, 192.0.2.7', '203.0.113.9'],
    ['10.1.2.3', '127.0.0.1, 198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', ' 203.0.113.9 ,, ', '203.0.113.9'],
    ['10.1.2.3', '10.4.4.4, 10.5.5.5', '10.4.4.4'],
    ['10.1.2.3', 'garbage', 'unknown'],
    ['10.1.2.3', '203.0.113.9, garbage', 'unknown'],
    ['10.1.2.3', '203.0.113.9:4711', 'unknown'],
    ['10.1.2.3', '', 'unknown'],
  ])('%s that forwards for "%s" speaks for %s', (peer, forwardedFor, address) => {
    expect(from(proxies, peer, forwardedFor)).toMatchObject({ address, loopback: false })
  })

  test('without any claim it is the proxy itself', () => {
    expect(client(proxies, '10.1.2.3').address).toBe('10.1.2.3')
  })

  test('what is loopback to the proxy’s machine is not to this one', () => {
    expect(from(proxies, '10.1.2.3', '127.0.0.1')).toMatchObject({ address: 'unknown', loopback: false })
    expect(from([...proxies, '127.0.0.1'], '10.1.2.3', '::1')).toMatchObject({ address: 'unknown' })
    expect(from([...proxies, '127.0.0.1'], '127.0.0.1', '127.0.0.1, 10.1.2.3')).toMatchObject({
      address: 'unknown',
    })
  })

  test('its X-Forwarded-Proto is believed', () => {
    expect(client(proxies, '10.1.2.3', { 'x-forwarded-proto': 'https' }).scheme).toBe('https')
    expect(client(proxies, '10.1.2.3', { 'x-forwarded-proto': 'gopher' }).scheme).toBe('http')
  })

  test('its request id is kept if it is harmless', () => {
    const idOf = (id: string) => client(proxies, '10.1.2.3', { 'x-request-id': id }).requestId
    expect(idOf('019a8f5e-6c1b.x_y')).toBe('019a8f5e-6c1b.x_y')
    for (const id of ['', 'a b', 'a\r\nb', '<b>', 'x'.repeat(65), 'ü']) expect(idOf(id)).toBeUndefined()
  })
})

describe('a named proxy on this machine', () => {
  const trusted = ['127.0.0.1', '::1']

  test('speaks for whoever it names', () => {
    expect(from(trusted, '127.0.0.1', '203.0.113.9')).toMatchObject({
      address: '203.0.113.9',
      loopback: false,
    })
  })

  test('speaks for this machine when it says so, or says nothing', () => {
    expect(from(trusted, '127.0.0.1', '127.0.0.1')).toMatchObject({ address: '127.0.0.1', loopback: true })
    expect(client(trusted, '127.0.0.1')).toMatchObject({ address: '127.0.0.1', loopback: true })
  })

  test('that forwards without naming anybody speaks for somebody unknown', () => {
    for (const header of ['x-real-ip', 'forwarded', 'via']) {
      expect(client(trusted, '127.0.0.1', { [header]: '203.0.113.9' })).toMatchObject({
        address: 'unknown',
        loopback: false,
      })
    }
  })
})

test('over TLS it is https without anybody’s word', () => {
  const request = { socket: { remoteAddress: '203.0.113.9', encrypted: true }, headers: {} }
  expect(clientReader([])(request as unknown as IncomingMessage).scheme).toBe('https')
})

test('whatever strangers claim, they never become this machine', () => {
  const claim = fc.oneof(
    fc.string(),
    fc.ipV4(),
    fc.ipV6(),
    fc.constantFrom('127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1'),
  )
  const headers = fc.record(
    {
      'x-forwarded-for': fc.array(claim).map(list => list.join(', ')),
      forwarded: claim,
      'x-real-ip': claim,
      via: claim,
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(headers, fc.constantFrom('203.0.113.9', '10.0.0.1', '::ffff:10.0.0.1'), (sent, peer) => {
      const { address, loopback } = client(['10.0.0.0/8', '127.0.0.1'], peer, sent as Headers)
      expect(loopback).toBe(false)
      expect(address).toMatch(/^(unknown|[0-9a-f:.]+)$/i)
    }),
    { numRuns: 500 },
  )
})
