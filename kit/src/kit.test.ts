import { health, version } from '@quarterdeck/contract'
import { FakeClock, temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { Kit } from './kit.ts'

const json = 'application/json; charset=utf-8'

test('health asks nobody: it is well while its dependencies are not', async () => {
  const kit = new Kit({ name: 'hello', checks: { store: () => Promise.reject(new Error('away')) } })
  expect(kit.healthz()).toMatchObject({ status: 200, headers: { 'content-type': json }, body: '{"ok":true}' })
  expect(await kit.readyz()).toMatchObject({
    status: 503,
    headers: { 'content-type': json },
    body: '{"ok":false}',
  })
})

test('it is ready when what it depends on is', async () => {
  const kit = new Kit({ name: 'hello', checks: { store: () => true } })
  expect(await kit.readyz()).toMatchObject({
    status: 200,
    headers: { 'content-type': json },
    body: '{"ok":true}',
  })
})

test('a check that is registered later counts, with its own limit', async () => {
  const kit = new Kit({ name: 'hello', checks: { store: () => true } })
  kit.check('queue', () => new Promise(() => {}), 10)
  expect((await kit.readyz()).status).toBe(503)
  expect((await kit.readiness()).checks.map(({ name, reason }) => [name, reason])).toEqual([
    ['store', null],
    ['queue', 'no answer within 10 ms'],
  ])
})

test('the answers are the contract’s Health and Version, without another field', async () => {
  const kit = new Kit({ name: 'hello', root: temporaryDirectory() })
  health.parse(JSON.parse(kit.healthz().body))
  health.parse(JSON.parse((await kit.readyz()).body))
  expect(version.parse(JSON.parse(kit.version().body))).toEqual({ name: 'hello', sha: kit.sha })
})

test('from the stop signal on it is healthy but not ready, and streams are told', async () => {
  const kit = new Kit({ name: 'hello', clock: new FakeClock() })
  expect((await kit.readyz()).status).toBe(200)
  expect(kit.stopping.aborted).toBe(false)
  kit.beginStop()
  expect(kit.stopping.aborted).toBe(true)
  expect(await kit.readyz()).toMatchObject({ status: 503, body: '{"ok":false}' })
  expect(kit.healthz().status).toBe(200)
})

test('why it is not ready reaches whoever logs it', async () => {
  const told: (string | null | undefined)[] = []
  const kit = new Kit({
    name: 'hello',
    checks: { store: () => Promise.reject(new Error('away')) },
    onReadinessChange: ({ checks }) => told.push(checks[0]?.reason),
  })
  await kit.readyz()
  expect(told).toEqual(['away'])
})
