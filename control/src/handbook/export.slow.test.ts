import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { exportHandbook } from './export.ts'
import { folderOf } from './under-test.ts'

const about = {
  title: 'T',
  description: null,
  language: 'en',
  url: 'http://docs.test',
  homeUrl: 'http://test',
  sha: 'x',
}

test('files hold pages, what finds in them, and earlier paths that lead on; none is written outside', async () => {
  const folder = folderOf({
    'index.md': '# Home',
    'a.md': '---\naliases: [/old/a, /../../escaped, /a/../../escaped, /.]\n---\n# <A>',
    'pic.png': 'x',
  })
  const parent = temporaryDirectory()
  const target = join(parent, 'deep/site')
  await exportHandbook([{ folder, prefix: '' }], about, target)
  const read = (path: string) => readFileSync(join(target, path), 'utf8')
  const page = read('a/index.html')
  for (const [, path] of page.matchAll(
    /(?:href|src|data-finder|data-index)="(\/(?:assets\/|index\.json)[^"]*)"/g,
  ))
    expect([path, existsSync(join(target, path!))]).toEqual([path, true])
  expect(page).toContain('data-finder')
  expect(read('search/index.html')).toContain('<ul class="results" data-fill></ul>')
  expect(read('old/a/index.html')).toContain('<meta http-equiv="refresh" content="0; url=/a">')
  expect(read('old/a/index.html')).toContain('<a href="/a">&lt;A&gt;</a>')
  expect(read('pic.png')).toBe('x')
  expect([readdirSync(parent), readdirSync(join(parent, 'deep'))]).toEqual([['deep'], ['site']])
})
