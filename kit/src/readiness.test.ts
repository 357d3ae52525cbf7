import { FakeClock } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { Readiness, type ReadinessResult } from './readiness.ts'

const never = () => new Promise(() => {})
const reasons = ({ checks }: ReadinessResult) =>
  Object.fromEntries(checks.map(({ name, reason }) => [name, reason]))

test('without checks it is ready', async () => {
  expect(await new Readiness(new FakeClock()).ask()).toEqual({
    ok: true,
    at: '2026-01-01T00:00:00.000Z',
    checks: [],
  })
})

test('it is ready when every check is, and says how long each took', async () => {
  const clock = new FakeClock()
  const readiness = new Readiness(clock)
  readiness.add('store', async () => clock.advance(12))
  readiness.add('disk', () => 'anything')
  const { ok, checks } = await readiness.ask()
  expect(ok).toBe(true)
  expect(checks).toMatchObject([
    { name: 'store', ok: true, took_ms: 12, reason: null },
    { name: 'disk', ok: true, reason: null },
  ])
})

test('one failing check is enough, and every reason is told', async () => {
  const readiness = new Readiness(new FakeClock())
  readiness.add('good', () => true)
  readiness.add('rejects', () => Promise.reject(new Error('connection refused')))
  readiness.add('throws', () => {
    throw new Error('no such file')
  })
  readiness.add('throws words', () => {
    throw 'just words'
  })
  const result = await readiness.ask()
  expect(result.ok).toBe(false)
  expect(reasons(result)).toEqual({
    good: null,
    rejects: 'connection refused',
    throws: 'no such file',
    'throws words': 'just words',
  })
})

test('an error without a message is told by its code or its name', async () => {
  const readiness = new Readiness(new FakeClock())
  readiness.add('both addresses', () => {
    throw Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })
  })
  readiness.add('nameless', () => {
    throw new TypeError()
  })
  expect(reasons(await readiness.ask())).toEqual({ 'both addresses': 'ECONNREFUSED', nameless: 'TypeError' })
})

test('checks run together, not one after another', async () => {
  const readiness = new Readiness(new FakeClock())
  const met = Promise.withResolvers<void>()
  readiness.add('waits for the other', () => met.promise)
  readiness.add('the other', () => met.resolve())
  expect((await readiness.ask()).ok).toBe(true)
})

test('a check that does not answer within its own limit fails by it', async () => {
  const readiness = new Readiness(new FakeClock())
  readiness.add('hung', never, 20)
  readiness.add('hung longer', never, 40)
  readiness.add('good', () => true)
  expect(reasons(await readiness.ask())).toEqual({
    hung: 'no answer within 20 ms',
    'hung longer': 'no answer within 40 ms',
    good: null,
  })
})

test('a check that hangs is not begun again, until it is taken for lost', async () => {
  const clock = new FakeClock()
  const readiness = new Readiness(clock)
  let calls = 0
  let back = Promise.withResolvers<void>()
  readiness.add(
    'hung',
    () => {
      calls++
      return back.promise
    },
    5,
  )
  expect(reasons(await readiness.ask())).toEqual({ hung: 'no answer within 5 ms' })
  for (let second = 1; second < 30; second++) {
    clock.advance(1000)
    expect(reasons(await readiness.ask())).toEqual({ hung: 'still no answer' })
  }
  expect(calls).toBe(1)
  clock.advance(1000)
  expect(reasons(await readiness.ask())).toEqual({ hung: 'no answer within 5 ms' })
  expect(calls).toBe(2)
  back.resolve()
  await new Promise(setImmediate)
  back = Promise.withResolvers()
  back.resolve()
  clock.advance(1000)
  expect(reasons(await readiness.ask())).toEqual({ hung: null })
})

test('a flood of words is one short line', async () => {
  const readiness = new Readiness(new FakeClock())
  readiness.add('store', () => Promise.reject(new Error('very\nlong '.repeat(10_000))))
  const { store } = reasons(await readiness.ask())
  expect(store).toMatch(/^very long very long [a-z ]+$/)
  expect(store).toHaveLength(300)
})

test('a check that fails after its limit harms nobody', async () => {
  const late = Promise.withResolvers<void>()
  const readiness = new Readiness(new FakeClock())
  readiness.add('late', () => late.promise, 5)
  await readiness.ask()
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  late.reject(new Error('too late'))
  await new Promise(setImmediate)
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

test('a result is kept for a second by the clock', async () => {
  const clock = new FakeClock()
  const readiness = new Readiness(clock)
  let asked = 0
  readiness.add('store', () => void asked++)
  await readiness.ask()
  clock.advance(999)
  expect((await readiness.ask()).at).toBe('2026-01-01T00:00:00.000Z')
  expect(asked).toBe(1)
  clock.advance(1)
  expect((await readiness.ask()).at).toBe('2026-01-01T00:00:01.000Z')
  expect(asked).toBe(2)
})

test('failing and being well again show after a second', async () => {
  const clock = new FakeClock()
  const readiness = new Readiness(clock)
  let broken = true
  readiness.add('store', () => {
    if (broken) throw new Error('away')
  })
  expect((await readiness.ask()).ok).toBe(false)
  broken = false
  expect((await readiness.ask()).ok).toBe(false)
  clock.advance(1000)
  expect((await readiness.ask()).ok).toBe(true)
})

test('whoever asks while the checks run shares them, however long they take', async () => {
  const clock = new FakeClock()
  const readiness = new Readiness(clock)
  const answered = Promise.withResolvers<void>()
  let asked = 0
  const slow = () => {
    asked++
    return answered.promise
  }
  readiness.add('slow', slow, 60_000)
  const first = readiness.ask()
  clock.advance(30_000)
  const second = readiness.ask()
  answered.resolve()
  expect(await second).toEqual(await first)
  expect(asked).toBe(1)
})

test('from the stop on it is not ready, whatever the checks say', async () => {
  const readiness = new Readiness(new FakeClock())
  readiness.add('store', () => true)
  expect((await readiness.ask()).ok).toBe(true)
  readiness.stop()
  expect(await readiness.ask()).toMatchObject({
    ok: false,
    checks: [{ name: 'running', reason: 'stopping' }],
  })
})

test('whoever asked before the stop and is answered after it hears of it', async () => {
  const readiness = new Readiness(new FakeClock())
  const answered = Promise.withResolvers<void>()
  readiness.add('slow', () => answered.promise)
  const asked = readiness.ask()
  readiness.stop()
  answered.resolve()
  expect((await asked).ok).toBe(false)
})

test('why it is not ready is told once, again when the reason changes, and when it is ready again', async () => {
  const clock = new FakeClock()
  const told: string[] = []
  const readiness = new Readiness(clock, ({ ok, checks }) =>
    told.push(ok ? 'ready' : String(checks[0]?.reason)),
  )
  let reason: string | undefined
  readiness.add('store', () => {
    if (reason) throw new Error(reason)
  })
  for (reason of [undefined, 'refused', 'refused', 'full', undefined, undefined]) {
    await readiness.ask()
    clock.advance(1000)
  }
  expect(told).toEqual(['refused', 'full', 'ready'])
})
