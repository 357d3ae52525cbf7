import { cpuMs } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { matcherOf } from './matcher.ts'

test.each([
  ['=~', 'a|b', 'b', true],
  ['=~', 'a|b', 'ab', false],
  ['=~', 'a', 'xa', false],
  ['=~', '.*', '', true],
  ['=~', '(?i)A', 'a', true],
  ['=~', 'a.b', 'a\nb', false],
  ['!~', 'a.*', 'b', true],
  ['!~', '.+', '', true],
  ['!=', '', '', false],
  ['=', '', '', true],
] as const)('%s %j on %j is %s', (operator, pattern, value, expected) => {
  const matcher = matcherOf('job', operator, pattern)
  expect([matcher.matches(value), matcher.matches(value)]).toEqual([expected, expected])
})

test('a pattern that takes other engines forever is matched at once', () => {
  const match = () => expect(matcherOf('job', '=~', '(a+)+b|(a|aa)+c').matches('a'.repeat(5000))).toBe(false)
  expect(cpuMs(match)).toBeLessThan(1000)
})

test.each(['(?=a)', '\\1', '(a{1000}){1000}', '(', 'a**'])('%s is no pattern of RE2', pattern => {
  expect(() => matcherOf('job', '=~', pattern)).toThrow('error parsing regexp')
})
