import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Asked, chooseCommit, wasSentBefore } from './commit-choice.ts'

const [a, b, c, elsewhere] = ['a', 'b', 'c', 'e'].map(digit => digit.repeat(40)) as [
  string,
  string,
  string,
  string,
]

/** The branch is a line of commits, oldest first; its last one is the newest. */
function asked(
  line: readonly string[],
  ref: string | null,
  running: string | null,
  more: Partial<Asked> = {},
): Asked {
  const main = line.at(-1)!
  const found = ref ?? main
  const runs = running === null ? -1 : line.indexOf(running)
  return {
    kind: 'deploy',
    requestedRef: ref,
    running,
    sentBefore: false,
    facts: {
      main,
      ref: found,
      refOnMain: line.includes(found),
      refIsBehindRunning: line.includes(found) && line.indexOf(found) < runs,
    },
    ...more,
  }
}

const chosen = (...args: Parameters<typeof asked>) => {
  const { outcome, sha } = chooseCommit(asked(...args))
  return [outcome, sha]
}

test('1: a ref that is not on the branch, or unknown, fails the run', () => {
  expect(() => chooseCommit(asked([a, b], elsewhere, a))).toThrow(
    expect.objectContaining({ code: 'ref_not_on_main' }),
  )
  expect(() => chooseCommit(asked([a, b], elsewhere, elsewhere, { sentBefore: true }))).toThrow(elsewhere)
  const unknown = { main: b, ref: null, refOnMain: false, refIsBehindRunning: false }
  expect(() => chooseCommit(asked([a, b], elsewhere, a, { facts: unknown }))).toThrow(elsewhere)
})

test('2: what runs is deployed again, or main when that has moved on', () => {
  expect(chosen([a, b], b, b)).toEqual(['deploy', b])
  expect(chosen([a, b, c], b, b)).toEqual(['deploy', c])
  expect(chosen([a, b, c], b, b, { sentBefore: true })).toEqual(['deploy', c])
})

test('3: a ref that was sent before and lies behind is a rollback to exactly it', () => {
  expect(chosen([a, b, c], a, c, { sentBefore: true })).toEqual(['rollback', a])
  expect(chosen([a, b, c], a, b, { sentBefore: true })).toEqual(['rollback', a])
})

test('4: a ref that came late has nothing to do', () => {
  expect(chosen([a, b, c], a, b)).toEqual(['nothing', b])
})

test('a branch that was set back is deployed as it is now: that call did not come late', () => {
  const facts = { main: a, ref: a, refOnMain: true, refIsBehindRunning: true }
  expect(chosen([a], a, b, { facts })).toEqual(['deploy', a])
  expect(chosen([a], a, b, { facts, sentBefore: true })).toEqual(['rollback', a])
  expect(chosen([a], a, b, { facts, sentBefore: true, isPush: true })).toEqual(['rollback', a])
})

test('a push told of late or again never goes back, and what runs already is not deployed again for it', () => {
  expect(chosen([a, b, c], a, c, { sentBefore: true, isPush: true })).toEqual(['nothing', c])
  expect(chosen([a, b, c], a, b, { sentBefore: true, isPush: true })).toEqual(['nothing', b])
  expect(chosen([a, b], b, b, { isPush: true })).toEqual(['nothing', b])
  expect(chosen([a, b, c], b, b, { isPush: true })).toEqual(['deploy', c])
  expect(chosen([a, b], b, a, { isPush: true })).toEqual(['deploy', b])
})

test('5: otherwise main is deployed, a ref that it has moved past included', () => {
  expect(chosen([a, b, c], c, a)).toEqual(['deploy', c])
  expect(chosen([a, b, c], b, a)).toEqual(['deploy', c])
  expect(chosen([a, b, c], b, a, { sentBefore: true })).toEqual(['deploy', c])
  expect(chosen([a], a, null)).toEqual(['deploy', a])
})

test('after a rollback a new push goes forward again', () => {
  expect(chosen([a, b, c], c, a)).toEqual(['deploy', c])
})

test('without a ref main is deployed, even when it was set back behind what runs', () => {
  expect(chosen([a, b], null, a)).toEqual(['deploy', b])
  expect(chosen([a, b], null, b)).toEqual(['deploy', b])
  const facts = { main: a, ref: a, refOnMain: true, refIsBehindRunning: true }
  expect(chosen([a], null, b, { facts })).toEqual(['deploy', a])
})

test('a rollback that was asked for goes exactly there, whatever runs', () => {
  for (const running of [null, a, b, c]) {
    expect(chosen([a, b, c], b, running, { kind: 'rollback' })).toEqual(['rollback', b])
  }
})

test('a rollback off the branch needs a kept release', () => {
  const off = asked([a, b], elsewhere, b, { kind: 'rollback' })
  expect(() => chooseCommit(off)).toThrow(expect.objectContaining({ code: 'ref_not_on_main' }))
  expect(chooseCommit({ ...off, isKeptRelease: true })).toMatchObject({ outcome: 'rollback', sha: elsewhere })
  expect(() => chooseCommit({ ...off, requestedRef: null })).toThrow('needs the commit')
})

test('whatever is asked, a deploy puts main in place, a rollback ref, and nothing leaves what runs', () => {
  const ids = fc.uniqueArray(fc.stringMatching(/^[0-9a-f]{40}$/), { minLength: 1, maxLength: 8 })
  const cases = ids.chain(line =>
    fc.record({
      line: fc.constant(line),
      ref: fc.option(fc.constantFrom(...line)),
      running: fc.option(fc.constantFrom(...line)),
      sentBefore: fc.boolean(),
    }),
  )
  fc.assert(
    fc.property(cases, ({ line, ref, running, sentBefore }) => {
      const { outcome, sha, why } = chooseCommit(asked(line, ref, running, { sentBefore }))
      expect(sha).toBe({ deploy: line.at(-1), rollback: ref, nothing: running }[outcome])
      const isBack = ref !== null && running !== null && line.indexOf(ref) < line.indexOf(running)
      expect(outcome).toBe(isBack ? (sentBefore ? 'rollback' : 'nothing') : 'deploy')
      expect(why).toMatch(/^[^\n]+\.$/)
    }),
  )
})

test('an earlier ref may be written short, but not so short that it fits anything', () => {
  expect(wasSentBefore([a.slice(0, 7)], a)).toBe(true)
  expect(wasSentBefore([a], a)).toBe(true)
  expect(wasSentBefore([b, a.slice(0, 6), ''], a)).toBe(false)
  expect(wasSentBefore([a], null)).toBe(false)
})
