import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { linkIntoData } from './release-links.ts'

function places(files: Record<string, string> = {}) {
  const root = temporaryDirectory()
  const release = join(root, 'releases', '.new')
  const data = join(root, 'data')
  mkdirSync(release, { recursive: true })
  mkdirSync(join(root, 'outside'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const link = (...paths: string[]) => linkIntoData({ release, data }, paths)
  return { root, release, data, link, read: (path: string) => readFileSync(join(root, path), 'utf8') }
}

test('directories are made in data, files only get the place, and the links are relative', async () => {
  const { release, data, link } = places()
  await link('uploads/', '.env', 'var/cache/pages/')
  expect(readlinkSync(join(release, 'uploads'))).toBe('../../data/uploads')
  expect(readlinkSync(join(release, '.env'))).toBe('../../data/.env')
  expect(readlinkSync(join(release, 'var/cache/pages'))).toBe('../../../../data/var/cache/pages')
  expect(lstatSync(join(data, 'var/cache/pages')).isDirectory()).toBe(true)
  expect(existsSync(join(data, '.env'))).toBe(false)
  writeFileSync(join(release, '.env'), 'KEY=1')
  expect(readFileSync(join(data, '.env'), 'utf8')).toBe('KEY=1')
})

test('what the commit has there becomes the first content of data, and never again', async () => {
  const first = places({ 'releases/.new/uploads/a.png': 'from the commit' })
  await first.link('uploads/')
  expect(first.read('data/uploads/a.png')).toBe('from the commit')
  const later = places({
    'releases/.new/uploads/a.png': 'from the commit',
    'data/uploads/a.png': 'of the service',
  })
  await later.link('uploads')
  expect(later.read('releases/.new/uploads/a.png')).toBe('of the service')
})

test('a link of the commit in the place of a linked path is replaced, not followed', async () => {
  const { root, release, data, link } = places()
  symlinkSync(join(root, 'outside'), join(release, 'uploads'))
  await link('uploads/')
  expect(readlinkSync(join(release, 'uploads'))).toBe('../../data/uploads')
  expect(lstatSync(join(data, 'uploads')).isDirectory()).toBe(true)
  expect(readdirSync(join(root, 'outside'))).toEqual([])
})

test('a linked path through a link of the commit or of the service is refused', async () => {
  const commit = places()
  symlinkSync(join(commit.root, 'outside'), join(commit.release, 'var'))
  await expect(commit.link('var/cache/')).rejects.toMatchObject({
    code: 'release_failed',
    message: 'A linked path leads through var, which is a link.',
  })
  const service = places()
  mkdirSync(service.data)
  symlinkSync(join(service.root, 'outside'), join(service.data, 'var'))
  await expect(service.link('var/cache/')).rejects.toThrow('leads through var, which is a link')
  const file = places({ 'releases/.new/var': 'a file' })
  await expect(file.link('var/cache/')).rejects.toThrow('leads through var, which is a file')
  expect(readdirSync(join(commit.root, 'outside'))).toEqual([])
  expect(readdirSync(join(service.root, 'outside'))).toEqual([])
})

test('a larger disk that an operator has linked into data is used as it is', async () => {
  const { root, data, release, link } = places({ 'outside/cache/kept.txt': 'kept' })
  mkdirSync(data)
  symlinkSync(join(root, 'outside'), join(data, 'var'))
  await link('var/cache/')
  expect(readFileSync(join(release, 'var/cache/kept.txt'), 'utf8')).toBe('kept')
})

test('a path within a linked directory is there with it, and one named twice is linked once', async () => {
  const { release, data, link } = places({ 'releases/.new/var/log/a': 'a' })
  await link('var/log', 'var/', 'var')
  expect(readlinkSync(join(release, 'var'))).toBe('../../data/var')
  expect(readFileSync(join(data, 'var/log/a'), 'utf8')).toBe('a')
})

test.each(['../x', 'a/../../x', '/etc', '', './a'])('%j leads out and is refused', async path => {
  await expect(places().link(path)).rejects.toMatchObject({ code: 'release_failed' })
})
