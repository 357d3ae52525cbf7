import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { projectIn, remoteIn } from './repository-under-test.ts'

/** A project with one commit in place and one more at the remote, fetched by the run that is under test. */
async function between({ added = {} as Record<string, string> } = {}) {
  const home = temporaryDirectory()
  const remote = remoteIn(home)
  const first = remote.commit({ 'a.txt': 'one', 'b.txt': 'one' })
  const before = projectIn(home, remote.directory)
  await before.workCopy.prepare()
  await before.workCopy.fetch()
  await before.workCopy.moveTo(first)
  const second = remote.commit({ 'a.txt': 'two', ...added })
  const write = (name: string, text: string) => writeFileSync(join(before.layout.work, name), text)
  const read = (name: string) => readFileSync(join(before.layout.work, name), 'utf8')
  const next = async () => {
    const project = projectIn(home, remote.directory)
    await project.workCopy.prepare()
    await project.workCopy.fetch()
    return project
  }
  return { remote, first, second, write, read, next, inWork: before.inWork, work: before.layout.work }
}

test('changed, staged and deleted files are named, and stay as they are', async () => {
  const { write, read, next, inWork, work, first } = await between()
  write('a.txt', 'mine')
  rmSync(join(work, 'b.txt'))
  write('new "name"\n.txt', 'staged')
  inWork('add', 'new "name"\n.txt')
  const project = await next()
  await expect(project.workCopy.guard(first)).rejects.toMatchObject({
    code: 'working_copy_dirty',
    message: 'Tracked files were changed in the working copy: a.txt, b.txt, "new \\"name\\"\\n.txt".',
  })
  expect(read('a.txt')).toBe('mine')
})

test('of many changed files five are named and the rest is counted', async () => {
  const { write, next, inWork, first } = await between()
  for (let number = 1; number <= 8; number++) write(`n${number}.txt`, 'x')
  inWork('add', '.')
  const project = await next()
  await expect(project.workCopy.guard(first)).rejects.toThrow(
    'n1.txt, n2.txt, n3.txt, n4.txt, n5.txt and 3 more.',
  )
})

test('commits of its own are named, on the branch and beside it', async () => {
  const { write, next, inWork, first } = await between()
  write('b.txt', 'mine')
  inWork('commit', '--quiet', '-am', 'A fix by hand')
  const expected = {
    code: 'working_copy_diverged',
    message: expect.stringMatching(/^The working copy has commits of its own: [0-9a-f]{7,} A fix by hand\.$/),
  }
  await expect((await next()).workCopy.guard(first)).rejects.toMatchObject(expected)
  inWork('checkout', '--quiet', '--detach', first)
  await expect((await next()).workCopy.guard(first)).rejects.toMatchObject(expected)
})

test('a rewritten history is told from own commits, and discarding goes through', async () => {
  const { remote, next, first, inWork } = await between()
  remote.git('checkout', '--quiet', '--orphan', 'fresh')
  const rewritten = remote.commit({ 'a.txt': 'rewritten' })
  remote.git('branch', '--quiet', '-M', 'fresh', 'main')
  const project = await next()
  expect(await project.workCopy.facts(first, first)).toMatchObject({
    main: rewritten,
    ref: first,
    refOnMain: false,
  })
  await expect(project.workCopy.guard(first)).rejects.toMatchObject({ code: 'history_rewritten' })
  await expect(project.workCopy.guard(null)).rejects.toMatchObject({ code: 'working_copy_diverged' })
  expect(inWork('rev-parse', 'HEAD')).toBe(first)
  await project.workCopy.moveTo(rewritten, { discard: true })
  expect([inWork('rev-parse', 'HEAD'), inWork('symbolic-ref', 'HEAD')]).toEqual([
    rewritten,
    'refs/heads/main',
  ])
})

test('a branch that was set back is a rewritten history too', async () => {
  const { remote, next, first, second } = await between()
  const project = await next()
  await project.workCopy.moveTo(second)
  remote.git('reset', '--quiet', '--hard', first)
  const { workCopy } = await next()
  expect(await workCopy.facts(first, second)).toMatchObject({
    main: first,
    refOnMain: true,
    refIsBehindRunning: true,
  })
  await expect(workCopy.guard(second)).rejects.toMatchObject({ code: 'history_rewritten' })
})

test('untracked files stay, and are only a reason when they are in the way', async () => {
  const { write, read, next, first, second, inWork } = await between({
    added: { 'c.txt': 'theirs', 'd/e.txt': 'x' },
  })
  write('notes.txt', 'mine')
  write('c.txt', 'mine')
  const project = await next()
  await project.workCopy.guard(first)
  await expect(project.workCopy.moveTo(second)).rejects.toMatchObject({
    code: 'working_copy_dirty',
    message: 'Files in the working copy are in the way: c.txt.',
  })
  expect([read('c.txt'), inWork('rev-parse', 'HEAD'), read('a.txt')]).toEqual(['mine', first, 'one'])
  await project.workCopy.moveTo(second, { discard: true })
  expect([read('c.txt'), read('notes.txt')]).toEqual(['theirs', 'mine'])
})

test('an ignored file in the way counts like any other, forward and back', async () => {
  const { remote, write, read, next, second } = await between({ added: { '.env': 'from the commit' } })
  remote.git('rm', '--quiet', '.env')
  const third = remote.commit({ '.gitignore': '.env\n' })
  const project = await next()
  await project.workCopy.moveTo(third)
  write('.env', 'secret')
  const again = await next()
  await expect(again.workCopy.moveTo(second)).rejects.toMatchObject({ code: 'working_copy_dirty' })
  expect(read('.env')).toBe('secret')
})

test('before the first checkout too, a file in the way is not overwritten', async () => {
  const { next, work, second, write, read } = await between()
  await (await next()).workCopy.putBack(null)
  mkdirSync(join(work, 'a.txt'))
  write('b.txt', 'mine')
  const project = await next()
  await expect(project.workCopy.moveTo(second)).rejects.toMatchObject({ code: 'working_copy_dirty' })
  expect(read('b.txt')).toBe('mine')
})

test('a commit checked out by hand is no obstacle: the next deploy is on the branch again', async () => {
  const { remote, next, first, second, inWork } = await between()
  await (await next()).workCopy.moveTo(second)
  inWork('checkout', '--quiet', first)
  const third = remote.commit({ 'a.txt': 'three' })
  const project = await next()
  expect(await project.workCopy.facts(third, first)).toMatchObject({ head: first, refOnMain: true })
  await project.workCopy.guard(second)
  await project.workCopy.moveTo(third)
  expect([inWork('rev-parse', 'HEAD'), inWork('symbolic-ref', 'HEAD')]).toEqual([third, 'refs/heads/main'])
})

test('a merge left in the middle is a change, and discarding ends it', async () => {
  const { next, write, inWork, first, second } = await between()
  write('a.txt', 'mine')
  inWork('commit', '--quiet', '-am', 'Mine')
  const project = await next()
  expect(() => inWork('merge', second)).toThrow()
  await expect(project.workCopy.guard(first)).rejects.toMatchObject({
    code: 'working_copy_dirty',
    message: expect.stringContaining('a.txt'),
  })
  await project.workCopy.moveTo(second, { discard: true })
  expect(inWork('status', '--porcelain=v2', '--branch')).toContain(`branch.oid ${second}`)
  expect(inWork('status', '--porcelain')).toBe('')
})
