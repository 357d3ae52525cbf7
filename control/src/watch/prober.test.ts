import { FakeClock, memoryLog, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { NameLookup } from './name-lookup.ts'
import { Prober, type ProberLimits, type ProbeTarget, type Sighting } from './prober.ts'
import { hangingServer, httpServer } from './under-test.ts'

const intervalMs = 15_000

function probing(
  limits: Partial<ProberLimits> = {},
  {
    clock = new FakeClock(),
    onSighting,
  }: { clock?: FakeClock; onSighting?: (sighting: Sighting<ProbeTarget>) => void } = {},
) {
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

test('each target is looked at once in every interval, over one connection', async () => {
  const { port, connections } = await httpServer((request, response) => response.end(request.url))
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
  const hung = await hangingServer()
  const { port } = await httpServer((_request, response) => response.end('ok'))
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
  const old = await httpServer((_request, response) => held.push(() => response.end('old')))
  const { port } = await httpServer((_request, response) => response.end('new'))
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

test('the same server keeps its connection, whatever else changes', async () => {
  const { port, connections } = await httpServer((request, response) => response.end(request.url))
  const { prober, clock, sightings, seenOf } = probing()
  prober.set(target('a', port, { server: { host: '127.0.0.1', port, isTls: false, headers: {} } }))
  clock.advance(intervalMs)
  await until('a look', () => sightings.length === 1)
  const server = {
    host: '127.0.0.1',
    port,
    isTls: false,
    headers: {},
    lookup: new NameLookup({ clock }).lookup,
  }
  const changed = target('a', port, { server, paths: ['/readyz'], intervalMs: 5000, timeoutMs: 200 })
  prober.set(changed)
  clock.advance(5000)
  await until('another', () => sightings.length === 2)
  expect(seenOf('a')).toEqual(['/healthz', '/readyz'])
  expect(sightings[1]!.target).toBe(changed)
  expect(connections()).toBe(1)
})

test('a target that changes while it is looked at is told as it was when the look began', async () => {
  const held: (() => void)[] = []
  const { port } = await httpServer((request, response) => held.push(() => response.end(request.url)))
  const { prober, clock, sightings } = probing()
  const before = target('a', port)
  prober.set(before)
  clock.advance(intervalMs)
  await until('it is asked', () => held.length === 1)
  prober.set(target('a', port, { paths: ['/version', '/readyz'] }))
  held[0]!()
  await until('a look', () => sightings.length === 1)
  expect(sightings[0]!.target).toBe(before)
})

test('a removed target is never heard of again, and its place is free', async () => {
  const hung = await hangingServer()
  const { port } = await httpServer((_request, response) => response.end('ok'))
  const { prober, clock, sightings, seenOf } = probing({ perHost: 1, timeoutMs: 60_000 })
  prober.set(target('hung', hung.port))
  clock.advance(intervalMs)
  await until('it hangs', () => hung.connections() === 1)
  prober.set(target('well', port))
  clock.advance(intervalMs)
  await until('the other waits for the place', () => prober.takeFigures().leftOut > 0)
  prober.remove('hung')
  await until('the other is seen', () => sightings.length === 1)
  expect(seenOf('well')).toEqual(['ok'])
})

test('one that waits for a place for a whole interval keeps its place, and is counted', async () => {
  const hung = await hangingServer()
  const { prober, clock } = probing({ perHost: 1, timeoutMs: 60_000 })
  for (const id of ['a', 'b', 'c']) prober.set(target(id, hung.port))
  clock.advance(intervalMs)
  await until('one has the place', () => hung.connections() === 1)
  for (let turn = 2; turn <= 3; turn++) {
    clock.advance(intervalMs)
    await until('all are left out', () => prober.takeFigures().leftOut === 3)
  }
  expect(hung.connections()).toBe(1)
})

test('services that hang leave room for the others on their machine', async () => {
  const hung = await hangingServer()
  const { port } = await httpServer((_request, response) => response.end('ok'))
  const { prober, clock, sightings, seenOf } = probing({ perHost: 4, timeoutMs: 100 })
  for (let index = 0; index < 8; index++) prober.set(target(`hung-${index}`, hung.port, { timeoutMs: 100 }))
  clock.advance(intervalMs)
  await until('all of them are known to hang', () => sightings.length === 8)
  for (let index = 0; index < 8; index++)
    prober.set(target(`hung-${index}`, hung.port, { timeoutMs: 60_000 }))
  prober.set(target('well', port))
  for (let turn = 1; turn <= 2; turn++) {
    clock.advance(intervalMs)
    await until('the other is seen', () => seenOf('well').length === turn)
  }
  expect(hung.connections()).toBe(8 + 2)
})

test('a clock that somebody sets neither stops the looks nor doubles them', async () => {
  const { port } = await httpServer((_request, response) => response.end('ok'))
  let setMs = 0
  class SetClock extends FakeClock {
    override now = () => new Date(super.now().getTime() + setMs)
  }
  const { prober, clock, sightings } = probing({}, { clock: new SetClock() })
  prober.set(target('a', port))
  for (const [index, jumpMs] of [0, -3_600_000, 7_200_000].entries()) {
    setMs = jumpMs
    clock.advance(intervalMs)
    await until('a look', () => sightings.length === index + 1)
    expect(sightings[index]!.atMs).toBe(clock.now().getTime())
  }
  expect(prober.takeFigures()).toMatchObject({ done: 3, leftOut: 0 })
})

test('whoever cannot take a sighting does not stop the looks', async () => {
  const { port } = await httpServer((_request, response) => response.end('ok'))
  let count = 0
  const onSighting = () => {
    count++
    throw new Error('The store is away.')
  }
  const { prober, clock, lines } = probing({}, { onSighting })
  prober.set(target('a', port))
  for (let turn = 1; turn <= 2; turn++) {
    clock.advance(intervalMs)
    await until('a look', () => count === turn)
  }
  expect(prober.takeFigures()).toMatchObject({ done: 2, lost: 2 })
  // Not with each look.
  expect(lines).toMatchObject([{ msg: 'what was seen could not be taken in', target: 'a' }])
})

test('after a stop nothing is told, and after a start everything again', async () => {
  const held: (() => void)[] = []
  const { port } = await httpServer((_request, response) => held.push(() => response.end('ok')))
  const { prober, clock, sightings } = probing()
  prober.set(target('a', port))
  clock.advance(intervalMs)
  await until('it is asked', () => held.length === 1)
  prober.stop()
  prober.start()
  clock.advance(intervalMs)
  await until('it is asked again', () => held.length === 2)
  for (const answer of held) answer()
  await until('a look', () => sightings.length === 1)
  expect(prober.takeFigures()).toMatchObject({ done: 1, leftOut: 0, ours: 0 })
})

test('what is no path is not asked for', () => {
  const { prober } = probing()
  for (const path of ['healthz', '/a b', '/\r\nX: y', '/ü'])
    expect(() => prober.set(target('a', 80, { paths: [path] }))).toThrow('it is no path')
})
