import { execFileSync } from 'node:child_process'
import { beforeEach, expect, test } from 'vitest'
import { checkCommits } from './check-commits.ts'
import { systemPackages } from './system-packages.mjs'
import { tempFolder } from './temp-project.ts'

const hasGit = systemPackages.some(({ name, isThere }) => name === 'git' && isThere())

beforeEach(context => context.skip(!hasGit, 'git is not installed'))

test('good commits are counted', () => {
  const folder = repository('feat: add it', 'fix: keep it\n\nBecause it was lost.')
  expect(checkCommits(folder)).toEqual({ problems: [], remark: 'Commits: 2' })
})

test('a bad message is named with its commit, a merge is not judged', () => {
  const folder = repository('feat: add it')
  git(folder, 'switch', '--quiet', '-c', 'side')
  commit(folder, 'Added more')
  git(folder, 'switch', '--quiet', 'main')
  git(folder, 'merge', '--quiet', '--no-ff', 'side')
  expect(checkCommits(folder).problems).toEqual([
    expect.stringMatching(/^[0-9a-f]{7,} "Added more": the first line must read/),
  ])
})

test('what has no whole history is said and does not fail', () => {
  const origin = repository('feat: add it', 'Bad one', 'fix: keep it')
  const shallow = tempFolder()
  git(shallow, 'clone', '--quiet', '--depth=1', `file://${origin}`, '.')
  expect(checkCommits(shallow)).toEqual({
    problems: [],
    remark: expect.stringMatching(/shallow clone.*--unshallow/),
  })
  expect(checkCommits(repository())).toEqual({
    problems: [],
    remark: 'Not checked: there are no commits yet.',
  })
  expect(checkCommits(tempFolder())).toEqual({
    problems: [],
    remark: 'Not checked: this is no Git checkout.',
  })
})

function repository(...messages: string[]): string {
  const folder = tempFolder()
  git(folder, 'init', '--quiet', '--initial-branch=main')
  for (const message of messages) commit(folder, message)
  return folder
}

function commit(folder: string, message: string): void {
  git(folder, 'commit', '--quiet', '--allow-empty', '--no-verify', '-m', message)
}

function git(cwd: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  execFileSync('git', [...identity, ...args], { cwd, stdio: 'pipe' })
}
