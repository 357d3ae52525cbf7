import { expect, test } from 'vitest'
import { isFor, whyUnchanged } from './push-filter.ts'

const [a, b, c] = ['a', 'b', 'c'].map(digit => digit.repeat(40)) as [string, string, string]
const paths = ['app/', 'deploy/', 'requirements.txt']

/** What differs between two commits, by the older one. */
const why = (changes: Record<string, readonly string[] | null>) =>
  whyUnchanged({
    onlyFor: { since: Object.keys(changes), paths },
    to: c,
    changedFiles: async (since, to) => (to === c ? changes[since]! : null),
  })

test('a path is a file or a directory, never the beginning of another name', () => {
  for (const file of ['app/a.py', 'app/b/c.py', 'deploy/x', 'requirements.txt'])
    expect(isFor(file, paths)).toBe(true)
  for (const file of [
    'README.md',
    'apps/a.py',
    'docs/app/a.py',
    'app',
    'requirements.txt.old',
    'sub/requirements.txt',
  ])
    expect(isFor(file, paths)).toBe(false)
  expect(['app/a/b.py', 'apps/a.py'].map(file => isFor(file, ['app/**']))).toEqual([true, false])
  expect(['setup.py', 'x/setup.py'].map(file => isFor(file, ['./setup.py']))).toEqual([true, false])
  expect(['lib/a', 'lib', 'library'].map(file => isFor(file, ['lib']))).toEqual([true, true, false])
})

test('a push that changes nothing the project is deployed for has nothing to do, and says why', async () => {
  expect(await why({ [a]: ['README.md', 'docs/x.md'] })).toBe(
    'There is no change in app/, deploy/, requirements.txt between aaaaaaa and ccccccc.',
  )
  expect(await why({ [a]: [] })).toMatch(/^There is no change/)
})

test('one relevant file among many, or in one of several pushes, is enough', async () => {
  const many = Array.from({ length: 3000 }, (_, number) => `docs/${number}.md`)
  expect(await why({ [a]: [...many, 'app/late.py'] })).toBeUndefined()
  expect(await why({ [b]: ['README.md'], [a]: ['deploy/unit'] })).toBeUndefined()
})

test('what cannot be compared counts as changed', async () => {
  expect(await why({ [a]: null })).toBeUndefined()
  expect(await why({ [b]: ['README.md'], [a]: null })).toBeUndefined()
})
