import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { buildSha } from './build-sha.ts'
import { Kit } from './kit.ts'

const noEnv = {}
const gitIsMissing = spawnSync('git', ['--version']).status !== 0

beforeEach(context => {
  if (gitIsMissing) context.skip('git is not installed (Debian: git)')
})

function git(directory: string, ...args: string[]): string {
  const identity = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b',
  }
  const env = { ...process.env, ...identity, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
  return execFileSync('git', ['-C', directory, ...args], { encoding: 'utf8', stdio: 'pipe', env }).trim()
}

let commits = 0

function commit(directory: string): string {
  git(directory, 'commit', '--allow-empty', '-m', `work ${++commits}`)
  return git(directory, 'rev-parse', 'HEAD')
}

function checkout(directory = temporaryDirectory()): { directory: string; sha: string } {
  mkdirSync(directory, { recursive: true })
  git(directory, 'init', '-b', 'main')
  return { directory, sha: commit(directory) }
}

test('REVISION goes before the checkout and the environment', () => {
  const { directory } = checkout()
  writeFileSync(join(directory, 'REVISION'), `${'a'.repeat(40)}\n`)
  expect(buildSha(directory, { QUARTERDECK_SHA: 'b' })).toBe('a'.repeat(40))
})

test('an empty REVISION says nothing', () => {
  const { directory, sha } = checkout()
  writeFileSync(join(directory, 'REVISION'), '\n')
  expect(buildSha(directory, noEnv)).toBe(sha)
})

test('a checkout goes before the environment', () => {
  const { directory, sha } = checkout()
  expect(buildSha(directory, { QUARTERDECK_SHA: 'b' })).toBe(sha)
})

test('the checkout is found from a directory inside it', () => {
  const { directory, sha } = checkout()
  const inside = join(directory, 'services/hello')
  mkdirSync(inside, { recursive: true })
  expect(buildSha(inside, noEnv)).toBe(sha)
  const before = process.cwd()
  process.chdir(inside)
  onTestFinished(() => process.chdir(before))
  expect(buildSha('.', noEnv)).toBe(sha)
})

test('a branch that git has packed is found', () => {
  const { directory, sha } = checkout()
  git(directory, 'branch', 'feature/main', commit(directory))
  git(directory, 'reset', '--hard', sha)
  git(directory, 'pack-refs', '--all')
  expect(() => readFileSync(join(directory, '.git/refs/heads/main'))).toThrow('ENOENT')
  expect(buildSha(directory, noEnv)).toBe(sha)
})

test('a loose branch is newer than the packed one', () => {
  const { directory } = checkout()
  git(directory, 'pack-refs', '--all')
  const sha = commit(directory)
  expect(buildSha(directory, noEnv)).toBe(sha)
})

test('a detached HEAD is its own answer', () => {
  const { directory, sha } = checkout()
  commit(directory)
  git(directory, 'checkout', '--detach', sha)
  expect(buildSha(directory, noEnv)).toBe(sha)
})

test('a worktree has its own commit, on a branch, packed or detached', () => {
  const { directory, sha } = checkout()
  const worktree = join(temporaryDirectory(), 'worktree')
  git(directory, 'worktree', 'add', '-b', 'side', worktree)
  const side = commit(worktree)
  expect(buildSha(worktree, noEnv)).toBe(side)
  git(directory, 'pack-refs', '--all')
  expect(buildSha(worktree, noEnv)).toBe(side)
  git(worktree, 'checkout', '--detach', sha)
  expect(buildSha(worktree, noEnv)).toBe(sha)
})

test('a submodule has its own commit', () => {
  const library = checkout()
  const { directory } = checkout()
  git(directory, '-c', 'protocol.file.allow=always', 'submodule', 'add', library.directory, 'library')
  expect(readFileSync(join(directory, 'library/.git'), 'utf8')).toContain('gitdir: ..')
  expect(buildSha(join(directory, 'library'), noEnv)).toBe(library.sha)
})

test('a checkout with commits named by SHA-256 is read too', () => {
  const directory = temporaryDirectory()
  git(directory, 'init', '--object-format=sha256', '-b', 'main')
  const sha = commit(directory)
  expect(sha).toHaveLength(64)
  expect(buildSha(directory, noEnv)).toBe(sha)
})

test('a checkout without a commit never borrows one from the checkout around it', () => {
  const { directory } = checkout()
  const inner = join(directory, 'inner')
  mkdirSync(inner)
  git(inner, 'init', '-b', 'main')
  expect(buildSha(inner, noEnv)).toBe('unknown')
  expect(buildSha(inner, { QUARTERDECK_SHA: 'b' })).toBe('b')
})

test('a damaged .git is no answer and no failure', () => {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, '.git/refs/heads'), { recursive: true })
  expect(buildSha(directory, noEnv)).toBe('unknown')
  writeFileSync(join(directory, '.git/HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(directory, '.git/refs/heads/main'), 'half a sha')
  expect(buildSha(directory, noEnv)).toBe('unknown')
})

test('without either it is QUARTERDECK_SHA, else unknown', () => {
  const directory = temporaryDirectory()
  expect(buildSha(directory, { QUARTERDECK_SHA: ' c0ffee\n' })).toBe('c0ffee')
  expect(buildSha(directory, { QUARTERDECK_SHA: '' })).toBe('unknown')
  expect(buildSha(directory, noEnv)).toBe('unknown')
})

test('the sha never changes while the kit lives', () => {
  const { directory, sha } = checkout()
  const kit = new Kit({ name: 'hello', root: directory })
  const next = commit(directory)
  rmSync(join(directory, '.git/HEAD'))
  writeFileSync(join(directory, 'REVISION'), next)
  expect(kit.sha).toBe(sha)
  expect(JSON.parse(kit.version().body)).toEqual({ name: 'hello', sha })
})
