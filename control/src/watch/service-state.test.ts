import { expect, test } from 'vitest'
import type { Checked } from './checks.ts'
import type { Look } from './look.ts'
import { type Kept, ServiceState } from './service-state.ts'
import { apiInstance, serviceOf } from './service-under-test.ts'

const good: Checked = { ok: true, httpStatus: 200, latencyMs: 1, reason: null }
const bad: Checked = {
  ...good,
  ok: false,
  reason: { code: 'connect', message: 'Nothing takes the connection.' },
}
const look = (at: number, live: Checked): Look => ({
  ...{ at, live, version: null, metrics: null, cutOff: null },
  ready: live.ok ? good : null,
})

function begin(kept?: Kept) {
  const state = new ServiceState(serviceOf([apiInstance(1)]), kept)
  const [instance] = state.instances.values()
  /** `+` and `-` are looks, a second apart; what they changed, with its time. */
  const after = (looks: string, from = 100) =>
    [...looks].map((letter, index) => {
      instance!.take(look(from + index, letter === '+' ? good : bad), false)
      const changed = state.settle(from + index)
      return changed ? `${changed.status} ${changed.at}` : ''
    })
  return { state, instance: instance!, after }
}

test('nothing is new before the first look, nor while it is what it was in a former life', () => {
  const { state, after } = begin({ at: 7, status: 'operational' })
  expect([state.settle(50), state.status, state.since]).toEqual([undefined, 'unknown', null])
  expect(after('++')).toEqual(['', ''])
  expect([state.status, state.since]).toEqual(['operational', 7])
})

test('what has become of it since its former life is told, from when it was first seen', () => {
  const { state, after } = begin({ at: 7, status: 'operational' })
  expect(after('--')).toEqual(['', 'outage 100'])
  expect(state.since).toBe(100)
})

test('a service that nobody knows becomes what it is seen to be', () => {
  expect(begin().after('+--++')).toEqual(['operational 100', '', 'outage 101', '', 'operational 103'])
})

test('one that was lost from sight is unknown from then on, and what it is when it is seen again', () => {
  const { state, instance, after } = begin()
  after('++')
  instance.lose()
  expect(state.settle(200)).toMatchObject({ status: 'unknown', at: 200 })
  expect([state.settle(201), state.since]).toEqual([undefined, null])
  expect(after('+', 300)).toEqual(['operational 300'])
})

test('one whose last instance is gone is unknown', () => {
  const { state, after } = begin()
  after('++')
  state.replace(serviceOf([]))
  expect(state.settle(200)).toMatchObject({ status: 'unknown', at: 200 })
})

test('a change is never told to be earlier than the one before', () => {
  const { after } = begin({ at: 500, status: 'operational' })
  expect(after('--', 100)).toEqual(['', 'outage 500'])
})
