import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FakeClock, temporaryDirectory } from '@quarterdeck/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { layoutOf } from './layout.ts'
import { type KeptRelease, keptOf, pruneReleases } from './release-pruning.ts'
import { Releases } from './releases.ts'

const now = new Date('2026-06-30T00:00:00Z')
const dayMs = 86_400_000
const ago = (days: number) => now.getTime() - days * dayMs

/** `verified` and `made` are days ago. */
function release(
  sha: string,
  {
    made,
    verified = null as number | null,
    bytes = 1,
  }: { made: number; verified?: number | null; bytes?: number },
): KeptRelease {
  const verifiedMs = verified === null ? null : ago(verified)
  return { sha, environment: null, bytes, verifiedMs, usedMs: Math.max(ago(made), verifiedMs ?? 0) }
}

const kept = (releases: KeptRelease[], current: string | null, diskBytes = 1000) =>
  keptOf(releases, current, { now, diskBytes })
    .map(({ sha }) => sha)
    .sort()

test('of old ones the five newest verified stay', () => {
  const releases = [20, 30, 40, 50, 60, 70, 80].map(days =>
    release(`v${days}`, { made: days, verified: days }),
  )
  expect(kept(releases, 'v20')).toEqual(['v20', 'v30', 'v40', 'v50', 'v60'])
})

test('what is in place stays, verified or not, and however old', () => {
  const verified = [1, 2, 3, 4, 5].map(days => release(`v${days}`, { made: days, verified: days }))
  expect(kept([...verified, release('old', { made: 99 })], 'old')).toContain('old')
  expect(kept([...verified, release('old', { made: 99 })], 'v1')).not.toContain('old')
})

test('an old one that was verified again lately counts as new', () => {
  const releases = [20, 21, 22, 23, 24].map(days => release(`v${days}`, { made: days, verified: days }))
  expect(kept([...releases, release('back', { made: 99, verified: 15 })], null)).toContain('back')
})

test('any under fourteen days stay while there is room, the oldest go first', () => {
  const failed = [1, 5, 13, 14, 15].map(days => release(`f${days}`, { made: days, bytes: 10 }))
  const verified = release('v', { made: 30, verified: 30, bytes: 10 })
  expect(kept([...failed, verified], 'v')).toEqual(['f1', 'f13', 'f5', 'v'])
  expect(kept([...failed, verified], 'v', 30)).toEqual(['f1', 'f5', 'v'])
  expect(kept([...failed, verified], 'v', 5)).toEqual(['v'])
})

test('whatever the rules, what is in place and the last verified are never pruned', () => {
  const one = fc.record({
    made: fc.integer({ min: 0, max: 100 }),
    verified: fc.option(fc.integer({ min: 0, max: 100 })),
    bytes: fc.nat(100),
  })
  const rules = fc.record({ keepVerified: fc.nat(6), days: fc.nat(30), diskBytes: fc.nat(500) })
  fc.assert(
    fc.property(fc.array(one, { minLength: 1 }), rules, fc.nat(), (many, rules, pick) => {
      const releases = many.map((each, index) => release(`r${index}`, each))
      const current = releases[pick % releases.length]!
      const left = keptOf(releases, current.sha, { now, ...rules })
      expect(left).toContain(current)
      const times = releases.map(({ verifiedMs }) => verifiedMs ?? 0)
      const last = releases.filter(({ verifiedMs }) => verifiedMs === Math.max(...times))
      if (last.length > 0) expect(left.some(each => last.includes(each))).toBe(true)
      expect(new Set(left).size).toBe(left.length)
    }),
  )
})

function onDisk() {
  const home = temporaryDirectory()
  const layout = layoutOf(home, 'hello')
  const clock = new FakeClock('2026-01-01T00:00:00Z')
  const releases = new Releases({ layout, clock, git: { work: layout.work, env: {} } })
  const add = (digit: string, environment: string | null, { verified = true } = {}) => {
    const sha = digit.repeat(40)
    mkdirSync(layout.release(sha), { recursive: true })
    writeFileSync(join(layout.release(sha), 'a.txt'), 'a'.repeat(10_000))
    if (environment !== null) mkdirSync(layout.environment(environment), { recursive: true })
    if (verified) releases.verified(sha, environment)
    else releases.uses(sha, environment)
    utimesSync(layout.release(sha), clock.now(), clock.now())
    clock.advance(dayMs)
    return sha
  }
  return { layout, releases, clock, add }
}

test('releases go with their notes, and environments that no kept one uses', async () => {
  const { layout, releases, clock, add } = onDisk()
  const old = ['1', '2'].map(digit => add(digit, 'old'))
  add('3', 'shared')
  const current = ['4', '5', '6', '7'].map(digit => add(digit, digit === '7' ? 'new' : 'shared')).at(-1)!
  mkdirSync(layout.environment('half-built'))
  for (const left of ['.new-x', '.going-y']) mkdirSync(join(layout.releases, left))
  writeFileSync(join(layout.releases, `${'9'.repeat(40)}.json`), '{}')
  releases.switchTo(current)
  clock.advance(60 * dayMs)
  const gone = await releases.prune({ now: clock.now(), diskBytes: 1_000_000 })
  expect(gone.releases.toSorted()).toEqual(old)
  expect(gone.environments.toSorted()).toEqual(['half-built', 'old'])
  expect(readdirSync(layout.environments).sort()).toEqual(['new', 'shared'])
  expect(readdirSync(layout.releases)).toHaveLength(10)
  expect(releases.noteOf(current).bytes).toBeGreaterThan(10_000)
  expect(await releases.prune({ now: clock.now(), diskBytes: 1_000_000 })).toEqual({
    releases: [],
    environments: [],
  })
})

test('while it is not known which environment the one in place uses, none goes', async () => {
  const { layout, releases, clock, add } = onDisk()
  const sha = add('1', 'abc')
  writeFileSync(`${layout.release(sha)}.json`, 'spoilt')
  releases.switchTo(sha)
  expect(await releases.prune({ now: clock.now(), diskBytes: 0 })).toEqual({ releases: [], environments: [] })
  expect(existsSync(layout.environment('abc'))).toBe(true)
})

test('where there is nothing yet, nothing goes', async () => {
  const layout = layoutOf(temporaryDirectory(), 'hello')
  expect(await pruneReleases(layout, null, { now, diskBytes: 0 })).toEqual({ releases: [], environments: [] })
})
