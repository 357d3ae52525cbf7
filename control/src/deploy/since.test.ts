import { expect, test } from 'vitest'
import { sinceAll, sinceOf, sinceText } from './since.ts'
import { commit } from './under-test.ts'

const [a, b] = [commit(1), commit(2)]
const push = (...since: string[]) => ({ changed_since: sinceText(since) })
const anyway = { changed_since: null }
const after = (...pushes: { changed_since: string | null }[]) => {
  const since = sinceAll(pushes.at(-1)!, pushes.slice(0, -1))
  return since === null ? null : sinceOf(since)
}

test('a push that takes no place looks back to where it began', () => {
  expect(after(push(a))).toEqual([a])
})

test('a push that takes the place of another looks back to where that one began, too', () => {
  expect(after(push(a), push(b))).toEqual([a, b])
  expect(after(push(a, b), push(b))).toEqual([a, b])
})

test('with a run that is to be done anyway, before or after, it is done anyway', () => {
  expect(after(anyway, push(b))).toBeNull()
  expect(after(push(a), anyway)).toBeNull()
})

test('what became too much to compare is done anyway', () => {
  const many = Array.from({ length: 20 }, (_, n) => commit(100 + n))
  expect(after(push(...many.slice(1)), push(a))).toHaveLength(20)
  expect(after(push(...many), push(a))).toBeNull()
})
