import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { FakeClock, temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { NameLookup, type NameLookupOptions } from './name-lookup.ts'

type Zone = Record<string, string | 'fails' | 'hangs'>

/** A DNS server on loopback that answers from the zone, which the test may change. */
async function dns(zone: Zone) {
  const asked: string[] = []
  const socket = createSocket('udp4', (query, from) => {
    const { name, end } = questionIn(query)
    const isFour = query.readUInt16BE(end) === 1
    if (isFour) asked.push(name)
    const value = zone[name]
    if (value !== 'hangs')
      socket.send(reply(query.subarray(0, end + 4), isFour ? value : undefined, value), from.port)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return { asked, server: `127.0.0.1:${socket.address().port}` }
}

function questionIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (; query[at]! > 0; at += query[at]! + 1)
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!))
  return { name: labels.join('.'), end: at + 1 }
}

function reply(question: Buffer, address: string | undefined, value: string | undefined): Buffer {
  const answers = address && address !== 'fails' ? [address.split('.').map(Number)] : []
  const head = Buffer.from(question)
  // An answer, to a recursive question; 2: the server fails, 3: there is no such name.
  head.writeUInt16BE(0x8180 | (value === 'fails' ? 2 : value === undefined ? 3 : 0), 2)
  for (const [offset, count] of [
    [4, 1],
    [6, answers.length],
    [8, 0],
    [10, 0],
  ] as const)
    head.writeUInt16BE(count, offset)
  const records = answers.map(bytes => Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 30, 0, 4, ...bytes]))
  return Buffer.concat([head, ...records])
}

async function looking(zone: Zone, more: Partial<NameLookupOptions> = {}) {
  const clock = new FakeClock()
  const { asked, server } = await dns(zone)
  const names = new NameLookup({ clock, servers: [server], timeoutMs: 250, ...more })
  const find = async (name: string) => (await names.find(name)).map(({ address }) => address)
  return { clock, asked, names, find }
}

test('many who ask for the same name ask once, and again when DNS says', async () => {
  const { clock, asked, find } = await looking({ 'a.example': '192.0.2.1' })
  const found = await Promise.all(Array.from({ length: 100 }, () => find('a.example')))
  expect(new Set(found.flat())).toEqual(new Set(['192.0.2.1']))
  await find('A.EXAMPLE.')
  expect(asked).toEqual(['a.example'])
  clock.advance(29_999)
  await find('a.example')
  expect(asked).toHaveLength(1)
  clock.advance(1)
  await find('a.example')
  expect(asked).toHaveLength(2)
})

test('a name that flaps is told as it is: away, back, elsewhere', async () => {
  const zone: Zone = { 'a.example': 'fails' }
  const { clock, find } = await looking(zone)
  await expect(find('a.example')).rejects.toThrow(expect.objectContaining({ code: 'ESERVFAIL' }))
  for (const address of ['192.0.2.1', '192.0.2.2']) {
    zone['a.example'] = address
    clock.advance(30_000)
    expect(await find('a.example')).toEqual([address])
  }
})

test('hundreds of names that hang hold up none that is known', async () => {
  const hung = Array.from({ length: 500 }, (_, index) => `hung-${index}.example`)
  const zone = { ...Object.fromEntries(hung.map(name => [name, 'hangs'])), 'a.example': '192.0.2.1' }
  const { clock, asked, find } = await looking(zone)
  await find('a.example')
  clock.advance(30_000)
  const ends = hung.map(name =>
    find(name).then(
      () => 'found',
      error => error.code,
    ),
  )
  expect(await Promise.race([find('a.example'), ...ends])).toEqual(['192.0.2.1'])
  expect(await Promise.race(ends)).toBe('ETIMEOUT')
  // Asked in turn, so that a flood loses no questions.
  expect(new Set(asked).size).toBeLessThan(200)
})

test('what is here needs nobody else, and the list of the machine comes first', async () => {
  const hostsFile = join(temporaryDirectory(), 'hosts')
  writeFileSync(hostsFile, '192.0.2.9 a.example\n')
  const { asked, find } = await looking({ 'a.example': '192.0.2.1' }, { hostsFile })
  for (const name of ['localhost', 'hello.localhost', 'LOCALHOST.'])
    expect(await find(name)).toEqual(['127.0.0.1', '::1'])
  expect(await find('::1')).toEqual(['::1'])
  expect(await find('a.example')).toEqual(['192.0.2.9'])
  expect(asked).toEqual([])
})

test('a connection gets the addresses of its family, one or all', async () => {
  const { names } = await looking({})
  const ask = (options: object) =>
    new Promise(resolve => names.lookup('localhost', options, (error, ...found) => resolve(error ?? found)))
  expect(await ask({})).toEqual(['127.0.0.1', 4])
  expect(await ask({ family: 6 })).toEqual(['::1', 6])
  expect(await ask({ family: 'IPv4', all: true })).toEqual([[{ address: '127.0.0.1', family: 4 }]])
  expect(await ask({ all: true })).toEqual([
    [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ],
  ])
})

test('what DNS does not know the system may know', async context => {
  const name = hostname()
  const known = await lookup(name, { all: true, order: 'ipv4first' }).catch(() => [])
  if (known.length === 0) context.skip('this machine does not know its own name')
  const { asked, names } = await looking({}, { hostsFile: '/does/not/exist' })
  expect(await names.find(name)).toEqual(known)
  expect(asked).toEqual([name.toLowerCase()])
})
