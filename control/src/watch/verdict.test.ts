import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judge, type Look, unknownVerdict, type Verdict } from './verdict.ts'

const reason = { code: 'connect', message: 'Nothing takes the connection.' } as const

/** `+` is a good look, `-` a bad one, a blank that nobody watches; one each second. */
const after = (looks: string): Verdict =>
  [...looks].reduce<Verdict>((verdict, look, at) => {
    if (look === ' ') return unknownVerdict
    return judge(verdict, { at, reason: look === '+' ? null : reason })
  }, unknownVerdict)

test.each([
  ['', 'unknown', null],
  ['+', 'good', 0],
  ['-', 'unknown', null],
  ['--', 'bad', 0],
  ['-+', 'good', 1],
  ['++-', 'good', 0],
  ['++-+-+-', 'good', 0],
  ['++--', 'bad', 2],
  ['++--+', 'bad', 2],
  ['++--+-+', 'bad', 2],
  ['++--++', 'good', 4],
  ['++ ', 'unknown', null],
  ['++ -', 'unknown', null],
  ['++ --', 'bad', 3],
  ['+- -', 'unknown', null],
])('%j is %s since %j', (looks, state, since) => {
  expect(after(looks)).toMatchObject({ state, since })
})

test('the reason is that of the newest bad look, and goes with the recovery', () => {
  const first = judge(judge(unknownVerdict, { at: 1, reason }), { at: 2, reason })
  const later = judge(first, { at: 3, reason: { code: 'timeout', message: 'It takes too long.' } })
  expect(later).toMatchObject({ since: 1, reason: { code: 'timeout' } })
  const good = [4, 5].reduce((verdict, at) => judge(verdict, { at, reason: null }), later)
  expect(good).toMatchObject({ state: 'good', since: 4, reason: null })
})

test('whatever is seen: it changes only after two looks alike, and its time never goes back', () => {
  const looks = fc.array(fc.boolean(), { maxLength: 60 })
  fc.assert(
    fc.property(looks, list => {
      let verdict = unknownVerdict
      for (const [at, good] of list.entries()) {
        const look: Look = { at, reason: good ? null : reason }
        const next = judge(verdict, look)
        if (next.state !== verdict.state && verdict.state !== 'unknown') {
          expect([list[at - 1], next.since]).toEqual([good, at - 1])
        }
        expect(next.since ?? -1).toBeGreaterThanOrEqual(verdict.since ?? -1)
        verdict = next
      }
    }),
  )
})
