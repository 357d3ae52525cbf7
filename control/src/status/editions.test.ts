import { expect, onTestFinished, test } from 'vitest'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { begin } from './under-test.ts'

test('while much changes, making documents takes a tenth of the time at most', async () => {
  const { open, clock } = await begin(sqliteEngine)
  const { options, watch, set, stop } = await open()
  onTestFinished(stop)
  let made = 0
  const ask = () =>
    options.editions.kept('large', () => {
      clock.advance(50)
      return ++made
    })
  for (let turn = 0; turn < 100; turn++) {
    watch.set([set(turn % 2 === 0 ? 'up' : 'down')])
    ask()
    clock.advance(10)
  }
  expect(made).toBeLessThanOrEqual(4)
  clock.advance(500)
  const before = made
  expect(ask()).toBe(before + 1)
  expect(ask()).toBe(before + 1)
})
