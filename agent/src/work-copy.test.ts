import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { type ProjectUnderTest, projectIn, remoteIn, twoCommitsAlike } from './repository-under-test.ts'

/** A project whose first commit is in its working copy. */
async function placed() {
  const home = temporaryDirectory()
  const remote = remoteIn(home)
  const first = remote.commit({ 'app/main.py': 'one', 'app/same.py': 'same' })
  const project = projectIn(home, remote.directory)
  await put(project, first)
  return { home, remote, first, project, next: () => projectIn(home, remote.directory) }
}

async function put({ workCopy }: ProjectUnderTest, sha: string) {
  await workCopy.prepare()
  await workCopy.fetch()
  await workCopy.moveTo(sha)
}

const text = ({ layout }: ProjectUnderTest, path: string) => readFileSync(join(layout.work, path), 'utf8')
const branchOf = (project: ProjectUnderTest) => project.inWork('symbolic-ref', '--short', 'HEAD')
const headOf = (project: ProjectUnderTest) => project.inWork('rev-parse', 'HEAD')
const commandOf = (args: readonly string[]) => args.find(arg => /^[a-z]/.test(arg) && !arg.includes('='))

test('a first deploy clones the branch, without tags, and checks it out', async () => {
  const home = temporaryDirectory()
  const remote = remoteIn(home)
  remote.commit({ 'a.txt': 'one' })
  remote.git('tag', 'v1')
  remote.git('branch', 'other')
  const sha = remote.commit({ 'a.txt': 'two' })
  const project = projectIn(home, remote.directory)
  await project.workCopy.prepare()
  await project.workCopy.fetch()
  expect(await project.workCopy.facts(null, null)).toEqual({
    main: sha,
    ref: sha,
    refOnMain: true,
    refIsBehindRunning: false,
    mainIsRunning: false,
    head: null,
  })
  await project.workCopy.guard(null)
  await project.workCopy.moveTo(sha)
  expect(text(project, 'a.txt')).toBe('two')
  expect(branchOf(project)).toBe('main')
  expect(project.inWork('rev-list', '--count', 'HEAD')).toBe('2')
  expect(project.inWork('for-each-ref', '--format=%(refname)').split('\n')).not.toContain('refs/tags/v1')
  expect(project.inWork('status', '--porcelain')).toBe('')
})

test('a plain deploy starts five git processes until the commit is in the working copy', async () => {
  const { remote, first, next } = await placed()
  const second = remote.commit({ 'app/main.py': 'two' })
  const project = next()
  await project.workCopy.prepare()
  await project.workCopy.fetch()
  const facts = await project.workCopy.facts(second, first)
  expect(facts).toMatchObject({
    main: second,
    ref: second,
    refOnMain: true,
    refIsBehindRunning: false,
    head: first,
  })
  await project.workCopy.guard(first)
  await project.workCopy.moveTo(second)
  expect(headOf(project)).toBe(second)
  expect(branchOf(project)).toBe('main')
  expect(project.started.map(({ args }) => commandOf(args))).toEqual([
    'fetch',
    'cat-file',
    'status',
    'ls-tree',
    'merge',
  ])
})

test('a rollback moves exactly back, stays on the branch, and the next deploy goes forward again', async () => {
  const { remote, first, next } = await placed()
  const second = remote.commit({ 'app/main.py': 'two', 'app/new.py': 'new' })
  await put(next(), second)
  const project = next()
  await project.workCopy.prepare()
  await project.workCopy.fetch()
  const facts = await project.workCopy.facts(first, second)
  expect(facts).toMatchObject({ ref: first, refOnMain: true, refIsBehindRunning: true, mainIsRunning: true })
  await project.workCopy.guard(second)
  await project.workCopy.moveTo(first)
  expect(project.started.map(({ args }) => commandOf(args))).toEqual([
    'fetch',
    'cat-file',
    'status',
    'merge-base',
    'ls-tree',
    'checkout',
  ])
  expect([headOf(project), branchOf(project), text(project, 'app/main.py')]).toEqual([first, 'main', 'one'])
  expect(existsSync(join(project.layout.work, 'app/new.py'))).toBe(false)
  await put(next(), second)
  expect(headOf(project)).toBe(second)
})

test('a ref is found whole or shortened, among commits of the branch only', async () => {
  const { remote, first, project } = await placed()
  const blob = remote.git('rev-parse', 'HEAD:app/main.py')
  const facts = async (ref: string) => await project.workCopy.facts(ref, first)
  expect(await facts(first.slice(0, 7))).toMatchObject({ ref: first, refOnMain: true })
  for (const unknown of [
    'f'.repeat(40),
    'f'.repeat(7),
    'f'.repeat(50),
    '0'.repeat(64),
    blob,
    blob.slice(0, 9),
  ]) {
    expect(await facts(unknown)).toMatchObject({ ref: null, refOnMain: false, refIsBehindRunning: false })
  }
})

test('nothing that is not a commit’s digits gets to git', async () => {
  const { project } = await placed()
  for (const ref of ['main', 'HEAD', '--help', 'abc', '-c1234567', 'ABCDEF12', '1234567\nHEAD', '@{-1}']) {
    expect(await project.workCopy.facts(ref, null)).toMatchObject({ ref: null, refOnMain: false })
  }
  expect(project.started.some(({ args, input }) => `${args.join()}${input}`.includes('1234567'))).toBe(false)
})

test('a branch whose name looks like a commit does not stand for one', async () => {
  const { project, first } = await placed()
  project.inWork('branch', 'abcdef1')
  expect(await project.workCopy.facts('abcdef1', null)).toMatchObject({ ref: null })
  project.inWork('branch', first.slice(0, 8), 'HEAD')
  expect(await project.workCopy.facts(first.slice(0, 8), null)).toMatchObject({ ref: first })
})

test('a shortened ref that stands for two commits is ambiguous', async () => {
  const { project } = await placed()
  const [one, other] = twoCommitsAlike(project.layout.work)
  expect(one.slice(0, 7)).toBe(other.slice(0, 7))
  const asking = project.workCopy.facts(one.slice(0, 7), null)
  await expect(asking).rejects.toMatchObject({
    code: 'ref_ambiguous',
    message: expect.stringContaining(other),
  })
  expect(await project.workCopy.facts(one, null)).toMatchObject({ ref: one, refOnMain: false })
})

test('a commit of another branch, or of one that was deleted since, is not on main', async () => {
  const { remote, next } = await placed()
  remote.git('checkout', '--quiet', '-b', 'feature')
  const aside = remote.commit({ 'b.txt': 'b' })
  remote.git('checkout', '--quiet', 'main')
  const project = next()
  await project.workCopy.prepare()
  await project.workCopy.fetch()
  expect(await project.workCopy.facts(aside, null)).toMatchObject({ ref: null, refOnMain: false })
  project.inWork('fetch', '--quiet', 'origin', 'feature')
  expect(await project.workCopy.facts(aside, null)).toMatchObject({ ref: aside, refOnMain: false })
})

test('what runs may be a commit that the repository no longer has', async () => {
  const { project, first } = await placed()
  expect(await project.workCopy.facts(first, 'e'.repeat(40))).toMatchObject({ refIsBehindRunning: false })
})

test('with submodules nothing is moved and their paths are named', async () => {
  const { remote, first, next } = await placed()
  remote.git('update-index', '--add', '--cacheinfo', `160000,${first},vendor/a "quoted" lib`)
  remote.git('commit', '--quiet', '-m', 'Submodule')
  const project = next()
  await project.workCopy.prepare()
  await project.workCopy.fetch()
  const { main } = await project.workCopy.facts(null, first)
  await expect(project.workCopy.moveTo(main)).rejects.toMatchObject({
    code: 'submodules_unsupported',
    message: 'The commit has submodules: "vendor/a \\"quoted\\" lib".',
  })
  expect(headOf(project)).toBe(first)
})

test('a run that is taken back leaves the working copy as it was, a first one without files', async () => {
  const { remote, first, next, project } = await placed()
  const second = remote.commit({ 'app/main.py': 'two', 'new.txt': 'new' })
  writeFileSync(join(project.layout.work, 'notes.txt'), 'mine')
  await put(next(), second)
  await next().workCopy.putBack(first)
  expect([headOf(project), text(project, 'app/main.py')]).toEqual([first, 'one'])
  await next().workCopy.putBack(null)
  expect(existsSync(join(project.layout.work, 'app/main.py'))).toBe(false)
  expect(text(project, 'notes.txt')).toBe('mine')
  expect(await next().workCopy.facts(null, null)).toMatchObject({ head: null })
  await next().workCopy.guard(null)
  await put(next(), second)
  expect(text(project, 'new.txt')).toBe('new')
})

test('a move that was killed half-way is completed and taken back, with no file left over', async () => {
  const { remote, first, next, project } = await placed()
  const second = remote.commit({ 'app/main.py': 'two', 'new.txt': 'new', 'sub/new.txt': 'new' })
  const again = next()
  await again.workCopy.prepare()
  await again.workCopy.fetch()
  // As git leaves it: files written, the index not yet, its lock still there.
  writeFileSync(join(project.layout.work, 'app/main.py'), 'two')
  writeFileSync(join(project.layout.work, 'new.txt'), 'ne')
  writeFileSync(join(project.layout.work, '.git/index.lock'), '')
  await next().workCopy.putBack(first, second)
  expect(project.inWork('status', '--porcelain')).toBe('')
  expect(headOf(project)).toBe(first)
  await put(next(), second)
  expect(headOf(project)).toBe(second)
})

test('a move that git refused is taken back without touching the files that were in its way', async () => {
  const { remote, first, next, project } = await placed()
  const second = remote.commit({ 'app/main.py': 'two', 'new.txt': 'theirs' })
  writeFileSync(join(project.layout.work, 'new.txt'), 'mine')
  await expect(put(next(), second)).rejects.toMatchObject({ code: 'working_copy_dirty' })
  await next().workCopy.putBack(first, second)
  expect([headOf(project), text(project, 'new.txt')]).toEqual([first, 'mine'])
})

test('a first checkout that was killed before its branch was written is taken back', async () => {
  const home = temporaryDirectory()
  const remote = remoteIn(home)
  const first = remote.commit({ 'a.txt': 'one' })
  const project = projectIn(home, remote.directory)
  await project.workCopy.prepare()
  project.inWork('read-tree', '-m', '-u', first)
  await project.workCopy.putBack(null, first)
  expect(existsSync(join(project.layout.work, 'a.txt'))).toBe(false)
  await put(projectIn(home, remote.directory), first)
  expect(text(project, 'a.txt')).toBe('one')
})

test('what someone changed or committed after the move is not taken back', async () => {
  const { remote, first, next, project } = await placed()
  const second = remote.commit({ 'app/main.py': 'two' })
  await put(next(), second)
  writeFileSync(join(project.layout.work, 'app/main.py'), 'mine')
  await expect(next().workCopy.putBack(first, second)).rejects.toMatchObject({ code: 'working_copy_dirty' })
  project.inWork('commit', '--quiet', '-am', 'Mine')
  await expect(next().workCopy.putBack(first, second)).rejects.toMatchObject({
    code: 'working_copy_diverged',
  })
  expect(text(project, 'app/main.py')).toBe('mine')
})

test('garbage is collected without touching what is there', async () => {
  const { project, first } = await placed()
  await project.workCopy.collectGarbage()
  expect(await project.workCopy.facts(first, null)).toMatchObject({ ref: first })
})
