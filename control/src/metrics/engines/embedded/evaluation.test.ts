import { FakeClock, memoryLog } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { Evaluation } from './evaluation.ts'
import { Rules } from './rules.ts'
import { SeriesStore } from './series.ts'

const rule = { alert: 'Down', expr: 'up == 0' }

/** One group that is due every 15 seconds, and when it was evaluated. */
function begin() {
  const clock = new FakeClock('2026-03-01T00:00:00Z')
  const startMs = clock.now().getTime()
  const rules = new Rules(
    { 'own.yml': { groups: [{ name: 'own', interval: '15s', rules: [rule] }] } },
    15_000,
  )
  const at: number[] = []
  const evaluation = new Evaluation(
    {
      ...{ clock, log: memoryLog().log, store: new SeriesStore(rules.needs) },
      onEvaluated: atMs => at.push((atMs - startMs) / 1000),
    },
    rules,
  )
  evaluation.set(rules)
  const pass = async (seconds: number) => {
    for (let left = seconds * 5; left > 0; left--) {
      evaluation.tick()
      await evaluation.settled()
      clock.advance(200)
    }
  }
  return { evaluation, rules, at, pass }
}

test('without new samples a group is evaluated at its own times', async () => {
  const { at, pass } = begin()
  await pass(31)
  expect(at).toEqual([0, 15, 30])
})

test('new samples are looked at soon, once, and its own times stay', async () => {
  const { evaluation, at, pass } = begin()
  await pass(4)
  evaluation.sampled()
  await pass(12)
  expect(at).toEqual([0, 4, 15])
})

test('a group that takes long is not evaluated for every sample', async () => {
  const { evaluation, rules, at, pass } = begin()
  await pass(1)
  // 20 times that is longer than its interval.
  rules.groups[0]!.evaluationMs = 1000
  evaluation.sampled()
  await pass(15)
  expect(at).toEqual([0, 15])
})
