import { parseMatcher } from '@quarterdeck/contract'
import { cpuMs } from '@quarterdeck/testing'
import { describe, expect, test } from 'vitest'
import { allMatch, checkedMatchers } from './matching.ts'

const matches = (text: string, labels: Record<string, string>) => allMatch([parseMatcher(text)!], labels)

test.each([
  ['job=hello', true],
  ['job="hello"', true],
  ['job=other', false],
  ['job!=other', true],
  ['job!=hello', false],
  ['job=~"hel+o|x"', true],
  // Expressions are anchored, as in Alertmanager.
  ['job=~"hel"', false],
  ['job!~"hel"', true],
  ['job!~"h.*"', false],
  ['team=""', true],
  ['team!=""', false],
  ['note="a \\"b\\" \\\\ c"', true],
])('%s', (text, expected) => {
  expect(matches(text, { job: 'hello', note: 'a "b" \\ c' })).toBe(expected)
})

test.each(['', 'job', '=x', 'job==x', 'job=~', '9a=b', 'job="a', 'a b=c', 'job=a b'])(
  '%j is no matcher',
  text => {
    if (text === 'job=~')
      return expect(parseMatcher(text)).toEqual({ name: 'job', operator: '=~', value: '' })
    if (text === 'job==x')
      return expect(parseMatcher(text)).toEqual({ name: 'job', operator: '=', value: '=x' })
    expect(parseMatcher(text)).toBeUndefined()
  },
)

describe('from outside', () => {
  test('an expression that would take others for ever takes no time', () => {
    const matchers = checkedMatchers(['job=~"(a+)+$"', 'job=~"(.*)*(.*)*(.*)*b"'])
    const match = () => expect(allMatch(matchers, { job: 'a'.repeat(50_000) })).toBe(false)
    expect(cpuMs(match)).toBeLessThan(2000)
  })

  test.each([
    ['job=~"("', 'expression of RE2'],
    ['job=~"(?=a)"', 'expression of RE2'],
    [`job=~"${'a'.repeat(1001)}"`, 'no longer'],
    ['job=~".*"', 'match every alert'],
    ['job!=x', 'match every alert'],
  ])('%s is refused', (text, reason) => {
    expect(() => checkedMatchers([text])).toThrow(
      expect.objectContaining({
        fields: [{ field: 'matchers.0', message: expect.stringContaining(reason) }],
      }),
    )
  })
})
