import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

test('one thing is done after the other, also after one that failed', async () => {
  const turns = new Turns()
  const done: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = turns.take(async () => {
    await gate.promise
    done.push('first')
    throw new Error('failed')
  })
  const second = turns.take(async () => done.push('second'))
  expect(turns.isBusy).toBe(true)
  gate.resolve()
  await expect(first).rejects.toThrow('failed')
  await second
  expect(done).toEqual(['first', 'second'])
  expect(turns.isBusy).toBe(false)
})
