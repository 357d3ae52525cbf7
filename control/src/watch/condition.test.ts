import { expect, test } from 'vitest'
import type { Checked, CheckedVersion } from './checks.ts'
import { type Condition, conditionOf, judgeLook, nothingSeen, withKnown } from './condition.ts'
import type { Look } from './look.ts'
import type { Reason } from './verdict.ts'

const good: Checked = { ok: true, httpStatus: 200, latencyMs: 1, reason: null }
const bad = (reason: Reason): Checked => ({ ...good, ok: false, reason })
const version: CheckedVersion = { ...good, version: { name: 'hello', sha: 'a' } }
const refused: Reason = { code: 'connect', message: 'Nothing takes the connection.' }
const hangs: Reason = { code: 'timeout', message: 'Within the time limit it does not answer.' }
const other: Reason = { code: 'version', message: 'a runs, b was deployed.' }

const well = { live: good, version, metrics: good, ready: good, cutOff: null }
/** One letter is one look, a second apart. */
const looks: Record<string, Omit<Look, 'at'>> = {
  '+': well,
  x: { live: bad(refused), version: null, metrics: null, ready: null, cutOff: null },
  r: { ...well, ready: bad({ code: 'http', message: '/readyz answers 503.' }) },
  v: { ...well, version: { ...version, ...bad(other) } },
  // Metrics hang, so that readiness is not asked.
  m: { ...well, metrics: bad(hangs), ready: null, cutOff: hangs },
}

/** Capital letters: while it is being restarted. */
function after(letters: string): Condition {
  let verdicts = nothingSeen
  for (const [at, letter] of [...letters].entries()) {
    const look = { at, ...looks[letter.toLowerCase()]! }
    verdicts = judgeLook(verdicts, look, letter !== letter.toLowerCase())
  }
  return conditionOf(verdicts)
}

test.each([
  ['', 'unknown', null, null],
  ['+', 'up', 0, null],
  ['++x', 'up', 0, null],
  ['++xx', 'down', 2, 'connect'],
  ['++xx++', 'up', 4, null],
  ['++rr', 'degraded', 2, 'http'],
  ['++rrxx', 'down', 4, 'connect'],
  ['++rrxx++', 'up', 6, null],
  ['++vv', 'degraded', 2, 'version'],
  ['++vv++', 'up', 4, null],
  ['++mm', 'degraded', 2, 'timeout'],
  ['xx', 'down', 0, 'connect'],
  ['rr', 'degraded', 0, 'http'],
])('%j: %s since %j by %j', (letters, state, since, code) => {
  const condition = after(letters)
  expect([condition.state, condition.since, condition.reason?.code ?? null]).toEqual([state, since, code])
})

test('while it is being restarted, only what is well counts', () => {
  expect(after('++XXXXXX')).toMatchObject({ state: 'up', since: 0 })
  expect(after('++XVVR')).toMatchObject({ state: 'up', since: 0 })
  expect(after('XXX')).toMatchObject({ state: 'unknown' })
  expect(after('++XXXxx')).toMatchObject({ state: 'down', since: 5 })
})

test('what is known besides counts where nothing worse is seen, and its end is when all is well', () => {
  const reason: Reason = { code: 'connect', message: 'Messages about alerts reach nobody.' }
  const known = { since: 7, reason }
  expect(withKnown(after('+++'), known)).toEqual({ state: 'degraded', ...known })
  for (const seen of ['', 'xx', 'rr']) expect(withKnown(after(seen), known)).toEqual(after(seen))
  expect(withKnown(after('+++'), { since: 7, reason: null })).toEqual({ ...after('+++'), since: 7 })
  expect(withKnown(after('+++'), null)).toEqual(after('+++'))
})
