import { expect, test } from 'vitest'
import { HostPlaces, type Visitor } from './host-places.ts'

const visitor = (dueMs: number, more: Partial<Visitor> = {}) => ({ host: 'a', isSlow: false, dueMs, ...more })

test('so many have a place, the others wait and come in the order in which they were due', () => {
  const places = new HostPlaces(2)
  const [first, second, third, fourth] = [1, 2, 3, 4].map(dueMs => visitor(dueMs)) as [Visitor, ...Visitor[]]
  expect([first, second, third, fourth].map(each => places.enter(each!))).toEqual([true, true, false, false])
  expect(places.leave(first)).toBe(third)
  expect(places.leave(second!)).toBe(fourth)
  expect(places.leave(third!)).toBeUndefined()
  expect(places.enter(visitor(5))).toBe(true)
})

test('every host has its own places', () => {
  const places = new HostPlaces(1)
  expect([places.enter(visitor(1)), places.enter(visitor(1, { host: 'b' }))]).toEqual([true, true])
})

test('the slow never have more than half, and get their turn all the same', () => {
  const places = new HostPlaces(4)
  const slow = [1, 2, 3].map(dueMs => visitor(dueMs, { isSlow: true }))
  const quick = [4, 5, 6].map(dueMs => visitor(dueMs))
  expect([...slow, ...quick].map(each => places.enter(each))).toEqual([true, true, false, true, true, false])
  // Half of the places are taken by slow ones.
  expect(places.leave(quick[0]!)).toBe(quick[2])
  // Due before any other that waits.
  places.enter(visitor(7))
  expect(places.leave(slow[0]!)).toBe(slow[2])
})

test('who gives up waiting is not called', () => {
  const places = new HostPlaces(1)
  const [first, second] = [visitor(1), visitor(2)]
  places.enter(first)
  places.enter(second)
  expect(places.leave(second)).toBeUndefined()
  expect(places.leave(first)).toBeUndefined()
})
