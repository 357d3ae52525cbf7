import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { FakeClock, temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { clone } from './commands/git.ts'
import { gitEnvironment } from './commands/git-call.ts'
import { type ProjectUnderTest, projectIn, remoteIn } from './repository-under-test.ts'
import { project as projectWith } from './runtimes/under-test.ts'

async function placed() {
  const home = temporaryDirectory()
  const remote = remoteIn(home)
  const first = remote.commit({ 'a.txt': 'one' })
  const project = projectIn(home, remote.directory)
  await deploy(project, first)
  return { home, remote, first, project, clock: new FakeClock() }
}

async function deploy({ workCopy }: ProjectUnderTest, sha: string, { discard = false } = {}) {
  await workCopy.prepare({ discard })
  await workCopy.fetch()
  await workCopy.moveTo(sha, { discard })
}

const beside = ({ layout }: ProjectUnderTest) => readdirSync(layout.root).sort()

test('a clone that was killed half-way counts for nothing', async () => {
  const home = temporaryDirectory()
  const remote = remoteIn(home)
  const sha = remote.commit({ 'big.bin': 'x'.repeat(1_000_000) })
  const project = projectIn(home, remote.directory)
  const half = `${project.layout.work}.new`
  mkdirSync(project.layout.root, { recursive: true })
  const program = clone(
    { work: project.layout.work, env: gitEnvironment(home, process.env) },
    { git_url: remote.directory, branch: 'main' },
    half,
  )
  const child = spawn(program.file, program.args, { cwd: program.cwd, env: program.env, detached: true })
  await until('the clone has begun', () => existsSync(join(half, '.git')))
  process.kill(-child.pid!, 'SIGKILL')
  await once(child, 'close')
  if (!existsSync(half)) mkdirSync(half)
  await deploy(project, sha)
  expect(beside(project)).toEqual(['work'])
  expect(project.inWork('rev-parse', 'HEAD')).toBe(sha)
})

test('a failed clone leaves nothing behind', async () => {
  const home = temporaryDirectory()
  const project = projectIn(home, join(home, 'nowhere'))
  await expect(project.workCopy.prepare()).rejects.toMatchObject({ code: 'remote_denied' })
  expect(beside(project)).toEqual([])
})

test('locks that a killed git left are removed', async () => {
  const { home, remote, project } = await placed()
  const locks = ['index.lock', 'HEAD.lock', 'shallow.lock', 'packed-refs.lock', 'config.lock']
  const refLocks = ['refs/heads/main.lock', 'refs/remotes/origin/main.lock']
  for (const lock of [...locks, ...refLocks]) writeFileSync(join(project.layout.work, '.git', lock), '')
  const second = remote.commit({ 'a.txt': 'two' })
  const next = projectIn(home, remote.directory)
  await deploy(next, second)
  expect(next.inWork('rev-parse', 'HEAD')).toBe(second)
})

test('the lock of someone’s git that is at work is waited for, not removed', async () => {
  const { home, remote, project } = await placed()
  const lock = join(project.layout.work, '.git/index.lock')
  writeFileSync(lock, '')
  let isHeld = true
  setTimeout(() => {
    isHeld = existsSync(lock)
    rmSync(lock, { force: true })
  }, 200)
  await projectIn(home, remote.directory).workCopy.prepare()
  expect(isHeld).toBe(true)
  expect(existsSync(lock)).toBe(false)
})

test('a new address and a new branch are taken over, for people’s own git too', async () => {
  const { home, remote, first } = await placed()
  const moved = remoteIn(home, 'moved')
  moved.git('pull', '--quiet', remote.directory, 'main')
  moved.git('branch', '-M', 'release/1.0')
  const second = moved.commit({ 'a.txt': 'two' })
  const project = projectIn(home, moved.directory, { branch: 'release/1.0' })
  await project.workCopy.prepare()
  await project.workCopy.fetch()
  expect(await project.workCopy.facts(second, first)).toMatchObject({
    main: second,
    refOnMain: true,
    head: first,
  })
  await project.workCopy.guard(first)
  await project.workCopy.moveTo(second)
  expect(project.inWork('symbolic-ref', '--short', 'HEAD')).toBe('release/1.0')
  expect(project.inWork('remote', 'get-url', 'origin')).toBe(moved.directory)
  expect(project.inWork('rev-parse', '@{upstream}')).toBe(second)
  const third = moved.commit({ 'a.txt': 'three' })
  project.inWork('pull', '--quiet', '--ff-only')
  expect(project.inWork('rev-parse', 'HEAD')).toBe(third)
})

test('no setting of the working copy can name a program: hooks, filters, ssh commands and includes are off', async () => {
  const { home, remote, project } = await placed()
  const mark = join(home, 'it-ran')
  const script = join(home, 'script')
  writeFileSync(script, `#!/bin/sh\ntouch ${mark}\ncat\n`)
  chmodSync(script, 0o755)
  mkdirSync(join(project.layout.work, '.git/hooks'))
  for (const hook of [
    'post-merge',
    'post-checkout',
    'reference-transaction',
    'post-index-change',
    'pre-merge-commit',
  ]) {
    writeFileSync(join(project.layout.work, '.git/hooks', hook), readFileSync(script))
    chmodSync(join(project.layout.work, '.git/hooks', hook), 0o755)
  }
  const bad = [
    'core.fsmonitor',
    'core.sshCommand',
    'core.pager',
    'filter.x.smudge',
    'filter.x.clean',
    'filter.x.process',
  ]
  for (const name of bad) project.inWork('config', name, script)
  project.inWork('config', 'core.hooksPath', join(project.layout.work, '.git/hooks'))
  project.inWork('config', 'remote.origin.uploadpack', script)
  project.inWork('config', 'url./nowhere/.insteadOf', home)
  writeFileSync(join(home, 'included'), `[filter "y"]\n\tsmudge = ${script}\n\tclean = ${script}\n`)
  project.inWork('config', 'include.path', join(home, 'included'))
  const second = remote.commit({
    '.gitattributes': '*.txt filter=x\n*.y filter=y\n',
    'a.txt': 'two',
    'b.y': 'y',
  })
  const next = projectIn(home, remote.directory)
  // Not prepared, as after a crash.
  await next.workCopy.fetch()
  await next.workCopy.facts(second, null)
  await next.workCopy.guard(null)
  await next.workCopy.moveTo(second)
  await next.releases.make(second, next.run, projectWith({ linked_paths: [] }))
  await next.workCopy.collectGarbage()
  expect(existsSync(mark)).toBe(false)
  expect(readFileSync(join(next.layout.work, '.git/config.replaced'), 'utf8')).toContain('sshCommand')
})

test('a remote with SHA-256 ids works as well', async () => {
  const home = temporaryDirectory()
  const remote = remoteIn(home)
  rmSync(join(remote.directory, '.git'), { recursive: true })
  remote.git('init', '--quiet', '--initial-branch=main', '--object-format=sha256')
  const sha = remote.commit({ 'a.txt': 'one' })
  expect(sha).toHaveLength(64)
  const project = projectIn(home, remote.directory)
  await deploy(project, sha)
  const next = projectIn(home, remote.directory)
  await deploy(next, remote.commit({ 'a.txt': 'two' }))
  expect(await next.workCopy.facts(sha, null)).toMatchObject({ ref: sha, refOnMain: true })
  await next.workCopy.putBack(null)
  expect(readdirSync(next.layout.work)).toEqual(['.git'])
})

test('without a working copy nothing is put back, and the reason is said', async () => {
  const home = temporaryDirectory()
  const { workCopy } = projectIn(home, '/nowhere')
  await expect(workCopy.putBack(null, 'a'.repeat(40))).rejects.toMatchObject({ code: 'working_copy_broken' })
})

test('a place that is no repository is only replaced when asked, and its files are kept', async () => {
  const { home, remote, first, project, clock } = await placed()
  rmSync(join(project.layout.work, '.git'), { recursive: true })
  const next = projectIn(home, remote.directory, { clock })
  await expect(next.workCopy.prepare()).rejects.toMatchObject({ code: 'working_copy_broken' })
  await deploy(next, first, { discard: true })
  expect(beside(next)).toEqual(['work', 'work.old-2026-01-01T00-00-00-000Z'])
  expect(next.inWork('rev-parse', 'HEAD')).toBe(first)
})

test('a broken repository fails the run and is made anew when asked', async () => {
  const { home, remote, first, project } = await placed()
  truncateSync(join(project.layout.work, '.git/index'), 20)
  const next = projectIn(home, remote.directory)
  await next.workCopy.prepare()
  await next.workCopy.fetch()
  await expect(next.workCopy.facts(first, first)).rejects.toMatchObject({ code: 'working_copy_broken' })
  await deploy(projectIn(home, remote.directory), first, { discard: true })
  expect(project.inWork('status', '--porcelain')).toBe('')
})

test('one that lost objects is made anew, and removed when it holds nothing of its own', async () => {
  const { home, remote, project } = await placed()
  const second = remote.commit({ 'a.txt': 'two' })
  await deploy(projectIn(home, remote.directory), second)
  const lost = remote.git('rev-parse', 'HEAD:a.txt')
  rmSync(join(project.layout.work, '.git/objects', lost.slice(0, 2), lost.slice(2)))
  await deploy(projectIn(home, remote.directory), second, { discard: true })
  expect(beside(project)).toEqual(['work'])
  project.inWork('fsck')
})

test('a sound working copy is not made anew by discarding', async () => {
  const { home, remote, first, project } = await placed()
  writeFileSync(join(project.layout.work, 'notes.txt'), 'mine')
  await deploy(projectIn(home, remote.directory), first, { discard: true })
  expect(readFileSync(join(project.layout.work, 'notes.txt'), 'utf8')).toBe('mine')
})

test('neither the remote nor the working copy need belong to the agent’s own user', async context => {
  if (process.getuid?.() !== 0) return context.skip('only root can give files to another user')
  const { home, remote, project } = await placed()
  const second = remote.commit({ 'a.txt': 'two' })
  for (const directory of [remote.directory, project.layout.work]) {
    for (const name of ['', '.git', '.git/config', '.git/HEAD'])
      chownSync(join(directory, name), 65_534, 65_534)
  }
  const next = projectIn(home, remote.directory)
  await deploy(next, second)
  const other = projectIn(join(home, 'other'), `file://${remote.directory}`)
  await deploy(other, second)
  expect(readFileSync(join(other.layout.work, 'a.txt'), 'utf8')).toBe('two')
  expect(readFileSync(join(next.layout.work, 'a.txt'), 'utf8')).toBe('two')
})
