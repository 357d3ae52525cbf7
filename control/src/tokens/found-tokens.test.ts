import { FakeClock } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import type { Store } from '#store'
import { FoundTokens } from './found-tokens.ts'

/** A store of which only the commits are of interest. */
function opened({ concurrent_writers = false } = {}) {
  const listeners: (() => void)[] = []
  const clock = new FakeClock()
  const store = {
    flags: { concurrent_writers },
    onCommit: (listener: () => void) => listeners.push(listener),
  }
  const found = new FoundTokens<string>(store as unknown as Store, clock)
  let reads = 0
  return {
    clock,
    found,
    commit: () => listeners.forEach(listener => void listener()),
    get: (hash: string, value: string | undefined = hash) =>
      found.get(hash, async () => {
        reads++
        return value
      }),
    reads: () => reads,
  }
}

test('what was found is not read again', async () => {
  const { get, reads, clock } = opened()
  for (let i = 0; i < 3; i++) {
    expect(await get('a')).toBe('a')
    clock.advance(3_600_000)
  }
  expect(reads()).toBe(1)
})

test('what was not found is read each time, so that nobody fills the memory with guesses', async () => {
  const { found } = opened()
  let reads = 0
  for (let i = 0; i < 3; i++) expect(await found.get('a', async () => void reads++)).toBeUndefined()
  expect(reads).toBe(3)
})

test('a change empties it when it is committed, and other commits do not', async () => {
  const { found, get, reads, commit } = opened()
  await get('a')
  commit()
  expect([await get('a', 'newer'), reads()]).toEqual(['a', 1])
  found.change()
  expect(await get('a', 'newer')).toBe('a')
  commit()
  expect([await get('a', 'newer'), reads()]).toEqual(['newer', 2])
})

test('what was read before a change and comes after it is not kept', async () => {
  const { found, get, commit } = opened()
  const { promise, resolve } = Promise.withResolvers<string>()
  const slow = found.get('a', () => promise)
  found.change()
  commit()
  resolve('older')
  expect(await slow).toBe('older')
  expect(await get('a', 'newer')).toBe('newer')
})

test('where others write too, an entry counts for a second from when it was asked for', async () => {
  const { get, reads, clock } = opened({ concurrent_writers: true })
  await get('a')
  clock.advance(999)
  await get('a')
  expect(reads()).toBe(1)
  clock.advance(1)
  await get('a')
  expect(reads()).toBe(2)
})

test('it remembers some thousands, and forgets the oldest first', async () => {
  const { get, reads } = opened()
  for (let i = 0; i < 5001; i++) await get(`t${i}`)
  await get('t5000')
  await get('t1')
  expect(reads()).toBe(5001)
  await get('t0')
  expect(reads()).toBe(5002)
})
