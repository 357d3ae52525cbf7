import { once } from 'node:events'
import { createServer as createHttp, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { FakeClock, memoryLog, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { Prober, type ProberLimits, type ProbeTarget, type Sighting } from './prober.ts'

const intervalMs = 15_000

function probing(limits: Partial<ProberLimits> = {}, onSighting?: (sighting: Sighting<ProbeTarget>) => void) {
  const clock = new FakeClock()
  const sightings: Sighting<ProbeTarget>[] = []
  const { log, lines } = memoryLog()
  const prober = new Prober<ProbeTarget>({
    clock,
    log,
    limits: { timeoutMs: 300, ...limits },
    onSighting: onSighting ?? (sighting => sightings.push(sighting)),
  })
  prober.start()
  onTestFinished(() => prober.stop())
  /** What was seen of one target, look by look. */
  const seenOf = (id: string) => sightings.filter(({ target }) => target.id === id).map(briefly)
  return { prober, clock, sightings, seenOf, lines }
}

const briefly = ({ seen }: Sighting<ProbeTarget>) =>
  seen.map(one => ('answer' in one ? `${one.answer.body}` : one.failure.code)).join(' ')

const target = (id: string, port: number, more: Partial<ProbeTarget> = {}): ProbeTarget => ({
  id,
  server: { host: '127.0.0.1', port, isTls: false },
  paths: ['/healthz'],
  intervalMs,
  ...more,
})

async function http(listener: RequestListener, host = '127.0.0.1') {
  let connections = 0
  const server = createHttp(listener).on('connection', () => connections++)
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

/** Takes connections and says nothing. */
async function hanging() {
  const sockets = new Set<Socket>()
  const server = createServer(socket => sockets.add(socket.on('error', () => undefined))).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connections: () => sockets.size }
}

test('each target is looked at once in every interval, over one connection', async () => {
  const { port, connections } = await http((request, response) => response.end(request.url))
  const { prober, clock, sightings, seenOf } = probing()
  prober.set(target('a', port, { paths: ['/healthz', '/readyz'] }))
  for (let turn = 1; turn <= 3; turn++) {
    const before = clock.now().getTime()
    clock.advance(intervalMs)
    await until('a look', () => sightings.length === turn)
    expect(sightings.at(-1)!.atMs).toBe(before + intervalMs)
  }
  expect(seenOf('a')).toEqual(Array(3).fill('/healthz /readyz'))
  expect(connections()).toBe(1)
  expect(prober.takeFigures()).toMatchObject({ targets: 1, done: 3, leftOut: 0, ours: 0 })
  expect(prober.takeFigures()).toMatchObject({ done: 0, lagMs: { p50: 0, p99: 0, max: 0 } })
})

test('a target that hangs delays no other, and what is due meanwhile is left out', async () => {
  const hung = await hanging()
  const { port } = await http((_request, response) => response.end('ok'))
  const { prober, clock, sightings, seenOf } = probing({ timeoutMs: 60_000 })
  prober.set(target('hung', hung.port))
  prober.set(target('well', port))
  for (let turn = 1; turn <= 3; turn++) {
    clock.advance(intervalMs)
    await until('a look', () => sightings.length === turn)
  }
  expect(seenOf('well')).toEqual(['ok', 'ok', 'ok'])
  expect(hung.connections()).toBe(1)
  expect(prober.takeFigures()).toMatchObject({ done: 3, leftOut: 2 })
})

test('a target that moves is seen at its new place only', async () => {
  const held: (() => void)[] = []
  const old = await http((_request, response) => held.push(() => response.end('old')))
  const { port } = await http((_request, response) => response.end('new'))
  const { prober, clock, sightings, seenOf } = probing()
  prober.set(target('a', old.port))
  clock.advance(intervalMs)
  await until('the old place is asked', () => held.length === 1)
  prober.set(target('a', port))
  held[0]!()
  clock.advance(intervalMs)
  await until('a look', () => sightings.length > 0)
  expect(seenOf('a')).toEqual(['new'])
})
