import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'

const script = join(import.meta.dirname, 'align.mjs')
const [old, next] = ['a'.repeat(40), 'b'.repeat(40)]
const environment = 'e'.repeat(32)

/** A project of which `old` is in place and `next` is ready as well. */
function projectPlace() {
  const home = temporaryDirectory()
  const root = join(home, 'projects/shop')
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  for (const sha of [old, next]) {
    put(`projects/shop/releases/${sha}/REVISION`, `${sha}\n`)
    put(`projects/shop/releases/${sha}.json`, JSON.stringify({ environment }))
  }
  put(`projects/shop/environments/${environment}/.complete`, '{}')
  put('projects/shop/site.json', JSON.stringify({ put: old, proven: null }))
  put('projects/shop/work/.git/HEAD', `${old}\n`)
  symlinkSync(`releases/${old}`, join(root, 'current'))
  return {
    put,
    remove: (path: string) => rmSync(join(home, path), { recursive: true, force: true }),
    head: (text: string) => put('projects/shop/work/.git/HEAD', `${text}\n`),
    /** Throws unless it ends with 0: the unit would not start. */
    align: () => execFileSync(process.execPath, [script, home, 'shop'], { encoding: 'utf8' }),
    current: () => readlinkSync(join(root, 'current')),
    asked: () => {
      const file = join(home, 'agent/align/shop')
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined
    },
  }
}

type Place = ReturnType<typeof projectPlace>

function expectUntouched(place: Place, said: unknown = '') {
  expect(place.align()).toEqual(said)
  expect([place.current(), place.asked()]).toEqual([`releases/${old}`, undefined])
}

test('nothing is done where HEAD is in place, or is what the agent itself put there', () => {
  const place = projectPlace()
  expectUntouched(place)
  place.head(next)
  place.put('projects/shop/site.json', JSON.stringify({ put: next }))
  expectUntouched(place)
})

test('a commit that is ready is switched to, and that once', () => {
  const place = projectPlace()
  place.head(next)
  expect(place.align()).toBe(`quarterdeck: aligned with work/: ${next}\n`)
  expect([place.current(), place.asked()]).toEqual([`releases/${next}`, undefined])
  expect(place.align()).toBe('')
})

test('nothing is done while a run is open', () => {
  const place = projectPlace()
  place.head(next)
  place.put('agent/open/shop', '')
  expectUntouched(place)
})

test('what is not built yet is asked for, and what is in place runs meanwhile', () => {
  for (const part of [`releases/${next}`, `releases/${next}.json`, `environments/${environment}/.complete`]) {
    const place = projectPlace()
    place.head(next)
    place.remove(`projects/shop/${part}`)
    expect(place.align()).toContain(`${next} is in work/ and not built yet: ${old} runs until`)
    expect([place.current(), place.asked()]).toEqual([`releases/${old}`, next])
  }
})

test('HEAD on a branch is followed, also where the branch is packed', () => {
  const loose = projectPlace()
  loose.head('ref: refs/heads/main')
  loose.put('projects/shop/work/.git/refs/heads/main', `${next}\n`)
  // A stale line there does not count.
  loose.put('projects/shop/work/.git/packed-refs', `${old} refs/heads/main\n`)
  loose.align()
  const packed = projectPlace()
  packed.head('ref: refs/heads/main')
  const lines = ['# pack-refs with: peeled', `${old} refs/heads/other-main`, `${next} refs/heads/main`, '']
  packed.put('projects/shop/work/.git/packed-refs', lines.join('\n'))
  packed.align()
  expect([loose.current(), packed.current()]).toEqual([`releases/${next}`, `releases/${next}`])
})

test('hostile or spoilt names in HEAD lead nowhere', () => {
  const names = ['', '../x', `${next}/..`, `ref: ../${next}`, 'ref: refs/heads/gone', next.slice(1), 'ref: ']
  for (const name of [...names, 'ref: refs/../../../secret', `${next}\n${old}`, next.toUpperCase()]) {
    const place = projectPlace()
    place.put('projects/shop/secret', next)
    place.head(name)
    expectUntouched(place)
  }
})

test('without a working copy, or anything at all, the unit starts', () => {
  const place = projectPlace()
  place.remove('projects/shop/work')
  expectUntouched(place)
  place.remove('projects')
  expect(place.align()).toBe('')
})

test('files that are broken are told, and the unit starts', () => {
  for (const file of ['site.json', `releases/${next}.json`]) {
    for (const text of ['{"put":', 'null']) {
      const place = projectPlace()
      place.head(next)
      place.put(`projects/shop/${file}`, text)
      expectUntouched(place, expect.stringMatching(/^quarterdeck: not aligned: .+\n$/))
    }
  }
})

test('where nothing is in place yet, the commit of work/ is put there', () => {
  const place = projectPlace()
  place.head(next)
  place.remove('projects/shop/current')
  place.align()
  expect(place.current()).toBe(`releases/${next}`)
})

test('a place that cannot be written is told, and the unit starts', () => {
  const place = projectPlace()
  place.head(next)
  place.remove('projects/shop/current')
  place.put('projects/shop/current/a-directory', '')
  expect(place.align()).toMatch(/^quarterdeck: not aligned: /)
})
