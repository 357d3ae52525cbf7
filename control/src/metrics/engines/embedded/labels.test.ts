import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Labels, labelsOf, valuesKey } from './labels.ts'

const record = fc.dictionary(
  fc.constantFrom('a', 'b', 'job', '__name__', '__proto__'),
  fc.string({ unit: 'binary' }),
)

test('labels have the same key exactly when they are the same, whatever their values hold', () => {
  fc.assert(
    fc.property(record, record, (one, other) => {
      const filled = (from: Record<string, string>) =>
        JSON.stringify(
          Object.entries(from)
            .filter(([, value]) => value !== '')
            .sort(),
        )
      expect(labelsOf(one).key === labelsOf(other).key).toBe(filled(one) === filled(other))
    }),
  )
})

test('values that run into each other are told apart', () => {
  const [one, other] = [labelsOf({ a: 'x', b: 'yz' }), labelsOf({ a: 'xy', b: 'z' })]
  expect(valuesKey(one, ['a', 'b'])).not.toBe(valuesKey(other, ['a', 'b']))
})

test('an empty value is no label', () => {
  expect(labelsOf({ a: '', b: 'x' }).record()).toEqual({ b: 'x' })
  expect(labelsOf({ b: 'x' }).with({ b: '' }).key).toBe(Labels.none.key)
  expect(labelsOf({ b: 'x' }).get('a')).toBe('')
})
