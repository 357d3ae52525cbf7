/** What a push has really changed, on a real repository. */
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { projectIn, remoteIn } from './repository-under-test.ts'

async function between(change: (remote: ReturnType<typeof remoteIn>) => string | undefined) {
  const home = temporaryDirectory()
  const remote = remoteIn(home)
  const first = remote.commit({ 'app/main.py': 'one', 'app/b.py': 'b', 'README.md': 'read' })
  const before = change(remote) ?? first
  const { workCopy } = projectIn(home, remote.directory)
  await workCopy.prepare()
  await workCopy.fetch()
  return await workCopy.changedFiles(before, remote.git('rev-parse', 'main'))
}

test('all commits of a push count, however many, and what was changed and changed back does not', async () => {
  const files = await between(remote => {
    remote.commit({ 'app/late.py': 'new', 'README.md': 'other' })
    for (let number = 0; number < 25; number++) remote.commit({ 'docs/a.md': `${number}` })
    remote.commit({ 'README.md': 'read' })
    return undefined
  })
  expect(files).toEqual(['app/late.py', 'docs/a.md'])
})

test('a file that was moved out of a directory or deleted is a change there', async () => {
  const files = await between(remote => {
    remote.git('mv', 'app/main.py', 'main.py')
    remote.git('rm', '--quiet', 'app/b.py')
    remote.commit()
    return undefined
  })
  expect(files).toEqual(['app/b.py', 'app/main.py', 'main.py'])
})

test('names are taken as they are: line breaks, quotes, letters of any language', async () => {
  const names = ['app/\nüber "x".py', 'app/\ttab']
  const files = await between(remote => {
    remote.commit(Object.fromEntries(names.map(name => [name, ''])))
    return undefined
  })
  expect(files?.toSorted()).toEqual(names.toSorted())
})

test('a branch that was rewritten, and a commit that nobody knows, cannot be compared', async () => {
  const rewritten = await between(remote => {
    const before = remote.commit({ 'README.md': 'two' })
    remote.git('reset', '--quiet', '--hard', 'HEAD~1')
    remote.commit({ 'README.md': 'three' })
    return before
  })
  expect(rewritten).toBeNull()
  expect(await between(() => 'f'.repeat(40))).toBeNull()
})

test('nothing differs between a commit and itself', async () => {
  expect(await between(() => undefined)).toEqual([])
})
