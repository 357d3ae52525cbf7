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
import { join } from 'node:path'
import { FakeClock, temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { projectIn, type RemoteUnderTest, remoteIn } from './repository-under-test.ts'
import { project as projectWith } from './runtimes/under-test.ts'

async function fetched(fill: (remote: RemoteUnderTest) => string) {
  const home = temporaryDirectory()
  const remote = remoteIn(home)
  const sha = fill(remote)
  const project = projectIn(home, remote.directory, { clock: new FakeClock() })
  await project.workCopy.prepare()
  const make = (linked_paths: string[] = []) =>
    project.releases.make(sha, project.run, projectWith({ linked_paths }))
  return {
    ...project,
    home,
    remote,
    sha,
    make,
    at: (...path: string[]) => join(project.layout.release(sha), ...path),
  }
}

test('a release has the commit’s files, modes and links, and says which commit it is', async () => {
  const { make, at, sha, layout, started } = await fetched(remote => {
    symlinkSync('/etc/hostname', join(remote.directory, 'outside'))
    remote.commit({ 'run.sh': '#!/bin/sh', '-dash': 'd', 'a\nb "c"': 'odd', 'app/main.py': 'print()' })
    remote.git('update-index', '--chmod=+x', 'run.sh')
    remote.git('commit', '--quiet', '-m', 'Executable')
    return remote.git('rev-parse', 'HEAD')
  })
  const before = started.length
  await make()
  expect(started.length - before).toBe(1)
  expect(readFileSync(at('REVISION'), 'utf8')).toBe(`${sha}\n`)
  expect(readFileSync(at('.quarterdeck-commit'), 'utf8')).toBe(`QUARTERDECK_SHA=${sha}\n`)
  expect(readFileSync(at('a\nb "c"'), 'utf8')).toBe('odd')
  expect(readFileSync(at('-dash'), 'utf8')).toBe('d')
  expect(lstatSync(at('run.sh')).mode & 0o111).toBe(0o111)
  expect(readlinkSync(at('outside'))).toBe('/etc/hostname')
  expect(existsSync(at('.git'))).toBe(false)
  expect(readdirSync(layout.releases).sort()).toEqual([sha, `${sha}.json`])
  expect(readdirSync(layout.work)).toEqual(['.git'])
})

test('one that is there is not made again, and one that was half made is', async () => {
  const { make, at, layout, sha, started } = await fetched(remote => remote.commit({ 'a.txt': 'a' }))
  mkdirSync(join(layout.releases, `.new-${sha}`, 'half'), { recursive: true })
  writeFileSync(join(layout.releases, `.new-${sha}.index`), 'garbage')
  await make()
  expect(readdirSync(at()).sort()).toEqual(['.quarterdeck-commit', 'REVISION', 'a.txt'])
  const before = started.length
  await make()
  expect(started.length).toBe(before)
})

test.each(['file', 'directory', 'link'])(
  'a REVISION of the repository itself, a %s, gives way to ours',
  async kind => {
    const { make, at, sha, home } = await fetched(remote => {
      if (kind === 'link') symlinkSync('../../../../outside', join(remote.directory, 'REVISION'))
      return remote.commit(
        kind === 'file' ? { REVISION: 'x' } : kind === 'directory' ? { 'REVISION/a': 'x' } : {},
      )
    })
    await make(['REVISION'])
    expect(lstatSync(at('REVISION')).isFile()).toBe(true)
    expect(readFileSync(at('REVISION'), 'utf8')).toBe(`${sha}\n`)
    expect(existsSync(join(home, 'outside'))).toBe(false)
  },
)

test('a commit that cannot be laid out leaves nothing behind', async () => {
  const { releases, run, layout } = await fetched(remote => remote.commit({ 'a.txt': 'a' }))
  const making = releases.make('d'.repeat(40), run, projectWith({ linked_paths: [] }))
  await expect(making).rejects.toMatchObject({ code: 'release_failed' })
  expect(readdirSync(layout.releases)).toEqual([])
  await expect(releases.make('../../etc', run, projectWith({ linked_paths: [] }))).rejects.toThrow(
    'not a whole commit id',
  )
})

test('current is a relative link that is replaced in one step, and can be taken away', async () => {
  const { make, releases, layout, sha } = await fetched(remote => remote.commit({ 'a.txt': 'a' }))
  expect(releases.current()).toBe(null)
  expect(() => releases.switchTo(sha)).toThrow('There is no release')
  await make()
  symlinkSync('left by a crash', `${layout.current}.new`)
  releases.switchTo(sha)
  releases.switchTo(sha)
  expect(readlinkSync(layout.current)).toBe(`releases/${sha}`)
  expect(releases.current()).toBe(sha)
  releases.removeCurrent()
  releases.removeCurrent()
  expect(releases.current()).toBe(null)
})

test('garbage in the place of current is no release', async () => {
  const { make, releases, layout, sha } = await fetched(remote => remote.commit({ 'a.txt': 'a' }))
  await make()
  for (const target of ['nowhere', `/tmp/${sha}`, `elsewhere/${sha}`]) {
    symlinkSync(target, layout.current)
    expect(releases.current()).toBe(null)
    releases.removeCurrent()
  }
  mkdirSync(layout.current)
  expect(releases.current()).toBe(null)
  expect(() => releases.switchTo(sha)).toThrow(expect.objectContaining({ code: 'release_failed' }))
})

test('what a release uses and when it was proved is remembered beside it', async () => {
  const { make, releases, layout, sha } = await fetched(remote => remote.commit({ 'a.txt': 'a' }))
  expect(releases.environmentOf(sha)).toBe(undefined)
  await make()
  releases.uses(sha, 'abc')
  expect(releases.noteOf(sha)).toEqual({ made_at: '2026-01-01T00:00:00.000Z', environment: 'abc' })
  releases.verified(sha, null)
  expect(releases.environmentOf(sha)).toBe(null)
  expect(releases.noteOf(sha).verified_at).toBe('2026-01-01T00:00:00.000Z')
  writeFileSync(`${layout.release(sha)}.json`, '{"half')
  expect(releases.noteOf(sha)).toEqual({})
})
