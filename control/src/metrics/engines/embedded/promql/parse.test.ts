import fc from 'fast-check'
import { expect, test } from 'vitest'
import { evaluate } from './evaluate.ts'
import { durationText } from './literal.ts'
import { parseExpression } from './parse.ts'
import { ExpressionRefused } from './refused.ts'

const nothing = { store: { select: () => [] }, atMs: 0 }

test.each([
  ['topk(3, up)', 'topk() is not known', 1],
  ['sum(up) + label_replace(up, "a", "$1", "b", "(.*)")', 'label_replace() is not known', 11],
  ['histogram_quantile(0.9, rate(x_bucket[5m]))', 'histogram_quantile() is not known', 1],
  ['max_over_time(up[5m:1m])', 'a subquery is not known', 15],
  ['up @ 5', '@ is not known', 1],
  ['up atan2 up', 'the operator atan2 is not known', 4],
  ['up smoothed', 'smoothed is not known', 1],
  ['rate(up[1m + 1m])', 'a calculation in place of a duration', 9],
  ['holt_winters(up[5m], 0.5, 0.5)', 'the function holt_winters() is not known', 13],
])('%s is for the Prometheus engine, which is said with the place', (text, said, column) => {
  expect(() => parseExpression(text)).toThrow(said)
  expect(() => parseExpression(text)).toThrow('The Prometheus engine can')
  expect(() => parseExpression(text)).toThrow(`(line 1, column ${column})`)
})

test.each([
  ['rate(up)', 'takes a range such as up[5m] here'],
  ['rate(up[5m], 1)', 'takes 1 parameters, and not 2'],
  ['absent()', 'takes 1 parameters, and not 0'],
  ['clamp(up, 1)', 'takes 3 parameters, and not 2'],
  ['round(up, up)', 'takes a scalar here, and not a vector'],
  ['up[5m] > 1', 'does not take a range'],
  ['-up[5m]', 'a range can only follow a selector'],
  ['-(up[5m])', 'a range cannot be negated'],
  ['sum(1)', 'takes a vector, not a scalar'],
  ['sum(up, up)', 'takes one vector'],
  ['1 > 2', 'needs bool'],
  ['up + bool 1', 'bool can only follow a comparison'],
  ['up and 1', 'needs a vector on both sides'],
  ['up + on(job) 1', 'need a vector on both sides'],
  ['up and on(job) group_left up', 'do not go with and'],
  ['up + on(job) group_left(job) up', 'named both in on and in group_left'],
  ['{}', 'at least one condition'],
  ['{job=~".*"}', 'at least one condition'],
  ['up{__name__="x"}', 'given twice'],
  ['up{job=~"("}', 'not a pattern of RE2'],
  ['up{job="a}', 'ends too early'],
  ['up{job="\\q"}', 'unknown escape'],
  ['"text"', 'a string has no place here'],
  ['(up)[5m]', 'directly after a selector'],
  ['up[0s]', 'longer than 0'],
  ['up[99999999999y]', 'at most ten years'],
  ['up ==', 'ends too early'],
  ['up == 0)', 'not expected here: )'],
  ['', 'ends too early'],
  ['# nothing', 'ends too early'],
])('%s is refused', (text, said) => {
  expect(() => parseExpression(text)).toThrow(ExpressionRefused)
  expect(() => parseExpression(text)).toThrow(said)
})

test('what is too long or too deep for anybody to read is refused', () => {
  const deep = `${'('.repeat(200)}up${')'.repeat(200)}`
  expect(() => parseExpression(deep)).toThrow('nested deeper than 100 levels')
  expect(() => parseExpression('x + '.repeat(5000))).toThrow('at most 10000 characters')
})

test('a place counts lines', () => {
  expect(() => parseExpression('sum(up)\n  + topk(1, up)')).toThrow('(line 2, column 5)')
})

test.each([
  ['-1 ^ 2', -1],
  ['2 ^ 3 ^ 2', 512],
  ['2 ^ -1', 0.5],
  ['-2 ^ -2 * 4', -1],
  ['1 + 2 * 3 % 2', 1],
  ['1 - -1', 2],
  ['1 == bool 1 + 1', 0],
  ['0x10 + 010 + 1_000', 1024],
  ['1h30m + 250ms', 5400.25],
  ['-Inf', -Infinity],
  ['1 # one', 1],
])('%s is %d', (text, value) => {
  expect(evaluate(parseExpression(text), nothing)).toBe(value)
})

test('any text is read or refused, and nothing else happens', () => {
  const piece = fc.constantFrom(
    ...'up x [ ] ( ) { } , = =~ != == > < + - * / ^ % and or unless on by sum rate offset bool "a" " 5m 1 0x @ : # \\'.split(
      ' ',
    ),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
      try {
        parseExpression(pieces.join(' '))
      } catch (error) {
        expect(error).toBeInstanceOf(ExpressionRefused)
      }
    }),
    { numRuns: 200 },
  )
})

test.each([
  [0, '0s'],
  [1500, '1s500ms'],
  [60_000, '1m'],
  [5_400_000, '1h30m'],
  [14 * 86_400_000, '2w'],
  [90 * 86_400_000, '90d'],
  [365 * 86_400_000, '1y'],
])('%i ms are written as Prometheus writes them', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})
