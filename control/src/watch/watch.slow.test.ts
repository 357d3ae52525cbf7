import { join } from 'node:path'
import { urlExpectation } from '@quarterdeck/contract'
import { systemClock } from '@quarterdeck/kit'
import { memoryLog, temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { Events } from '../events/index.ts'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { Store } from '../store/index.ts'
import { History } from './history/index.ts'
import type { ServiceState } from './service-state.ts'
import { answering, apiInstance, ServiceUnderTest, serviceOf } from './service-under-test.ts'
import { Watch } from './watch.ts'

/** One that looks very often. */
async function watchUnderTest({ intervalMs = 40, timeoutMs = 300 } = {}) {
  const store = await Store.open(sqliteEngine(join(temporaryDirectory(), 'database.sqlite')))
  const events = new Events(store, systemClock)
  const { log } = memoryLog()
  const history = await History.open({ store, events, clock: systemClock, log, intervalS: 15 })
  const restarting = new Set<string>()
  const restarts = {
    isUnderWay: (machine: string, project: string) => restarting.has(`${project}@${machine}`),
  }
  const watch = new Watch({ clock: systemClock, log, history, restarts, intervalMs, timeoutMs })
  watch.start()
  onTestFinished(async () => {
    watch.stop()
    await history.stop()
    await store.close()
  })
  const state = (id = 'hello') => watch.service(id)
  const becomes = (status: ServiceState['status'], id = 'hello') =>
    until(`${id} is ${status}`, () => state(id)?.status === status && state(id))
  /** After so many more looks at it. */
  const looks = async (count: number, id = 'hello') => {
    let left = count
    const end = watch.onNews((service, news) => service === id && news === 'looked' && left--)
    await until(`${count} more looks`, () => left <= 0)
    end()
  }
  return { watch, history, store, events, restarting, state, becomes, looks }
}

test('a service that ends is out of order, with the reason, and well again when it is back', async () => {
  const { watch, becomes, history, events } = await watchUnderTest()
  const service = await ServiceUnderTest.start()
  const { port } = service
  watch.set([serviceOf([apiInstance(port)])])
  expect((await becomes('operational')).rolledUp).toMatchObject({ up: 1, total: 1, reason: null })
  await service.stop()
  const out = await becomes('outage')
  expect(out.rolledUp.reason).toEqual({ code: 'connect', message: 'Nothing takes the connection.' })
  expect(history.last('hello')).toMatchObject({ kind: 'down', status: 'outage' })
  await service.listen(port)
  await becomes('operational')
  await history.stop()
  const told = (await events.after(0)).filter(({ type }) => type === 'status.changed')
  expect(told.map(({ data }) => data.status)).toEqual(['operational', 'outage', 'operational'])
})

test.each([
  ['/healthz', answering('{"ok":"true"}'), 'outage', 'body'],
  ['/healthz', answering('[{"ok":true}]'), 'outage', 'body'],
  ['/healthz', answering('{"ok":false}', 503), 'outage', 'http'],
  ['/healthz', answering('{"ok":true}', 302), 'outage', 'http'],
  ['/readyz', answering('{"ok":false}', 503), 'degraded', 'http'],
  ['/readyz', () => undefined, 'degraded', 'timeout'],
  ['/version', answering(`{"name":"hello","sha":"${'b'.repeat(40)}"}`), 'degraded', 'version'],
  ['/version', answering(`{"name":"other","sha":"${'b'.repeat(40)}"}`), 'degraded', 'version'],
  ['/version', answering('no version'), 'degraded', 'body'],
] as const)('%s that answers otherwise: %#', async (path, answer, status, code) => {
  const { watch, becomes } = await watchUnderTest({ timeoutMs: 150 })
  const service = await ServiceUnderTest.start()
  watch.set([serviceOf([apiInstance(service.port)])])
  await becomes('operational')
  service.answers[path] = answer
  expect((await becomes(status)).rolledUp.reason?.code).toBe(code)
  delete service.answers[path]
  await becomes('operational')
})

test('a restart that was meant is no outage; one that leaves it away is', async () => {
  const { watch, becomes, looks, restarting, state } = await watchUnderTest()
  const service = await ServiceUnderTest.start()
  const { port } = service
  watch.set([serviceOf([apiInstance(port)])])
  await becomes('operational')
  restarting.add('hello@web-1')
  await service.stop()
  await looks(5)
  expect(state()?.status).toBe('operational')
  restarting.clear()
  await becomes('outage')
})

test('of several instances some may be away', async () => {
  const { watch, becomes } = await watchUnderTest()
  const [one, two] = [await ServiceUnderTest.start(), await ServiceUnderTest.start()]
  watch.set([serviceOf([apiInstance(one.port), apiInstance(two.port, {}, 'hello@web-2')])])
  await becomes('operational')
  await two.stop()
  expect((await becomes('partial_outage')).rolledUp).toMatchObject({ up: 1, total: 2 })
  await one.stop()
  expect((await becomes('outage')).rolledUp).toMatchObject({ up: 0, total: 2 })
})

test('one that has moved is looked at where it is now', async () => {
  const { watch, becomes, looks, state } = await watchUnderTest()
  const [before, after] = [await ServiceUnderTest.start(), await ServiceUnderTest.start()]
  watch.set([serviceOf([apiInstance(before.port)])])
  await becomes('operational')
  await before.stop()
  watch.set([serviceOf([apiInstance(after.port)])])
  await looks(4)
  expect(state()?.status).toBe('operational')
})

test('what the agent tells counts for one that listens nowhere', async () => {
  const { watch, becomes } = await watchUnderTest()
  const told = (state: 'up' | 'down') => {
    const reason =
      state === 'up' ? null : ({ code: 'connect', message: 'Its unit worker is failed.' } as const)
    return serviceOf([
      { id: 'hello@web-1', machine: 'web-1', kind: 'told', condition: { state, since: 5, reason } },
    ])
  }
  watch.set([told('up')])
  await becomes('operational')
  watch.set([told('down')])
  expect((await becomes('outage')).rolledUp.reason?.message).toBe('Its unit worker is failed.')
})

test('who is not among them any more is not looked at, and unknown from then on', async () => {
  const { watch, becomes, history } = await watchUnderTest()
  const service = await ServiceUnderTest.start()
  watch.set([serviceOf([apiInstance(service.port)])])
  await becomes('operational')
  watch.set([])
  expect(watch.service('hello')).toBeUndefined()
  expect(history.last('hello')).toMatchObject({ kind: 'unknown' })
})

test('metrics are read on the way; where there are none, that is no fault', async () => {
  const { watch, becomes, looks, state } = await watchUnderTest()
  const service = await ServiceUnderTest.start()
  const pages: (number | null)[] = []
  watch.onScrape((_target, { page }) => pages.push(page?.samples.length ?? null))
  watch.set([serviceOf([apiInstance(service.port)])])
  await becomes('operational')
  expect(pages.at(-1)).toBe(1)
  service.answers['/metrics'] = answering('this is { no page', 200, 'text/plain')
  await looks(2)
  expect([pages.at(-1), state()?.status]).toEqual([null, 'operational'])
  expect([...state()!.instances.values()][0]!.look?.metrics).toMatchObject({ ok: false, httpStatus: 200 })
  service.answers['/metrics'] = answering('', 404)
  await looks(2)
  const before = pages.length
  await looks(2)
  expect([pages.length, state()?.status]).toEqual([before, 'operational'])
  expect([...state()!.instances.values()][0]!.look?.metrics).toBeNull()
})

test('an address is asked as is expected of it, and followed on its own host', async () => {
  const { watch, becomes } = await watchUnderTest()
  const service = await ServiceUnderTest.start()
  const url = `http://127.0.0.1:${service.port}/old`
  service.answers['/old'] = (_request, response) => response.writeHead(301, { location: '/new' }).end()
  service.answers['/new'] = answering('{"state":"fine"}')
  const expect_ = {
    ...{ status: '200-299', certificate_days: 14 },
    json: [{ path: '/state', equals: 'fine' }],
  }
  const target = { url, expect: expect_, timeout_s: 1, is_kit: false, headers: {} }
  const server = { host: '127.0.0.1', port: service.port, isTls: false }
  watch.set([serviceOf([{ id: 'hello', machine: null, kind: 'address', server, target }])])
  await becomes('operational')
  service.answers['/new'] = answering('{"state":"bad"}')
  expect((await becomes('outage')).rolledUp.reason?.code).toBe('body')
})

test('one that leads on to where it hangs is followed once at a time', async () => {
  const { watch, becomes } = await watchUnderTest()
  const service = await ServiceUnderTest.start()
  let [under, most] = [0, 0]
  service.answers['/'] = (_request, response) => void response.writeHead(302, { location: '/slow' }).end()
  service.answers['/slow'] = (request, response) => {
    most = Math.max(most, ++under)
    request.socket.once('close', () => under--)
    response.writeHead(200)
  }
  const url = `http://127.0.0.1:${service.port}/`
  const target = { url, expect: urlExpectation.parse({}), timeout_s: 0.3, is_kit: false, headers: {} }
  const server = { host: '127.0.0.1', port: service.port, isTls: false }
  watch.set([serviceOf([{ id: 'hello', machine: null, kind: 'address', server, target }])])
  expect((await becomes('outage')).rolledUp.reason).toMatchObject({ code: 'timeout' })
  expect(most).toBe(1)
})
