import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numberOf } from './number.ts'

test('every number that is written is the one that is read', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.integer(), fc.float()), value => {
      expect(numberOf(String(value))).toBe(value === 0 ? 0 : value)
    }),
  )
})

test('a few digits with a point are read as exactly as any', () => {
  const digits = fc.stringMatching(/^\d{0,9}\.\d{0,9}$/).filter(text => text !== '.')
  fc.assert(
    fc.property(digits, text => {
      expect(numberOf(text)).toBe(Number(text))
    }),
  )
})

test.each([
  ['0042', 42],
  ['5.', 5],
  ['.5', 0.5],
  ['+1', 1],
  ['-1.5E-3', -0.0015],
  ['1e+06', 1e6],
  ['9007199254740993', 9007199254740992],
  ['1234567890123456', 1234567890123456],
  ['12345678901234567890', 12345678901234567000],
  ['NaN', Number.NaN],
  ['nan', Number.NaN],
  ['Inf', Infinity],
  ['+Inf', Infinity],
  ['-inf', -Infinity],
  ['+INFINITY', Infinity],
])('%s is a number', (text, value) => {
  expect(numberOf(text)).toBe(value)
})

test.each([
  '',
  '.',
  '-',
  'e5',
  '1e',
  '0x10',
  '0b1',
  '1_000',
  '1 ',
  ' 1',
  '1,5',
  '+NaN',
  '-nan',
  '1e999',
  '-1e999',
  '١',
  '--1',
  '1.2.3',
  'infinit',
  '1p3',
])('%j is none', text => {
  expect(numberOf(text)).toBeUndefined()
})
