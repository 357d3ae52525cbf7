import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { GitDates } from './git-dates.ts'

test('a file is as old as its last commit, by its path in the folder; without git nothing is known', async () => {
  const root = temporaryDirectory()
  const folder = join(root, 'docs')
  expect(await new GitDates(root).read()).toEqual(new Map())
  const git = (day: string, ...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', ...args], {
      env: {
        PATH: process.env.PATH,
        HOME: root,
        GIT_COMMITTER_DATE: `${day}T10:00:00+02:00`,
        GIT_AUTHOR_DATE: `${day}T10:00:00Z`,
      },
    })
  mkdirSync(folder)
  git('2026-01-01', 'init', '--quiet')
  const commit = (day: string, name: string) => {
    writeFileSync(join(folder, name), day)
    git(day, 'add', '--all')
    git(day, 'commit', '--quiet', '--message', 'docs: a page')
  }
  commit('2026-01-01', 'a.md')
  commit('2026-01-02', 'ü b.md')
  const dates = new GitDates(folder)
  expect(Object.fromEntries(await dates.read())).toEqual({
    'a.md': '2026-01-01T08:00:00Z',
    'ü b.md': '2026-01-02T08:00:00Z',
  })
  commit('2026-01-03', 'a.md')
  expect((await dates.read()).get('a.md')).toBe('2026-01-03T08:00:00Z')
})
