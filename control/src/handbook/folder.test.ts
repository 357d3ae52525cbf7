import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { Folder } from './folder.ts'
import { folderOf, problemsOf } from './under-test.ts'

const opened = async (texts: Record<string, string | Buffer>) => {
  const folder = folderOf(texts)
  const source = new Folder({ folder, prefix: '' })
  await source.scan()
  return {
    folder,
    source,
    texts: () => Object.fromEntries([...source.files].map(([path, { text }]) => [path, text])),
  }
}

test('links, binary files, huge pages and hidden folders are left out, and told', async () => {
  const folder = folderOf({
    'a.md': 'A',
    'bin.md': Buffer.from([1, 0, 2]),
    'latin.md': Buffer.from([0xe9, 0x20]),
    'huge.md': '',
    '.git/c.md': 'C',
    'node_modules/d.md': 'D',
    'pic.png': 'x',
    'e.txt': 'x',
  })
  truncateSync(join(folder, 'huge.md'), 50 * 1024 * 1024)
  symlinkSync('/etc/passwd', join(folder, 'link.md'))
  symlinkSync('/etc', join(folder, 'linked'))
  mkdirSync(join(folder, 'folder.md'))
  const source = new Folder({ folder, prefix: '' })
  await source.scan()
  expect([...source.files.keys()]).toEqual(['a.md'])
  expect([...source.images]).toEqual(['pic.png'])
  expect(
    problemsOf(source)
      .map(text => text.slice(folder.length + 1))
      .sort(),
  ).toEqual([
    'bin.md: is binary, not text: left out',
    'huge.md: has 50 MiB, and 1 MiB at most are taken: left out',
    'latin.md: is not UTF-8: left out',
    'link.md: is a symbolic link: left out',
    'linked: is a symbolic link: left out',
  ])
  await expect(source.readImage('../../../etc/passwd')).rejects.toThrow()
})

test('a page that becomes unreadable stays as it was; a folder that is gone keeps its pages', async () => {
  const { folder, source, texts } = await opened({ 'a.md': 'A', 'b.md': 'B' })
  writeFileSync(join(folder, 'a.md'), Buffer.from([0]))
  unlinkSync(join(folder, 'b.md'))
  expect(await source.scan()).toBe(true)
  expect(texts()).toEqual({ 'a.md': 'A' })
  rmSync(folder, { recursive: true })
  await source.scan()
  expect(texts()).toEqual({ 'a.md': 'A' })
  expect(problemsOf(source)).toContain(`${folder}: cannot be read (ENOENT): its pages stay as they were`)
})

test('changes are seen: written, renamed over, removed, in new folders', async () => {
  const { folder, source, texts } = await opened({ 'a.md': 'A', 'b.md': 'B' })
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  let changes = 0
  source.watch(() => changes++, ended.signal)
  const seen = (what: string, wanted: Record<string, string>) =>
    until(what, () => changes > 0 && JSON.stringify(texts()) === JSON.stringify(wanted))
  writeFileSync(join(folder, 'a.md'), 'A2')
  await seen('a is new', { 'a.md': 'A2', 'b.md': 'B' })
  writeFileSync(join(folder, 'tmp'), 'A3')
  renameSync(join(folder, 'tmp'), join(folder, 'a.md'))
  unlinkSync(join(folder, 'b.md'))
  await seen('b is gone', { 'a.md': 'A3' })
  mkdirSync(join(folder, 'new'))
  writeFileSync(join(folder, 'new/c.md'), 'C')
  await seen('c is there', { 'a.md': 'A3', 'new/c.md': 'C' })
})
