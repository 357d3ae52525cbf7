import fc from 'fast-check'
import { expect, test } from 'vitest'
import { environmentText, readEnvironmentText } from './environment-file.ts'

test('what stands for something else is escaped, and lines stay lines', () => {
  expect(environmentText({ A: 'say "hi" to $HOME, `id` or \\', KEY: '-----BEGIN\nx=y\n' })).toBe(
    'A="say \\"hi\\" to \\$HOME, \\`id\\` or \\\\"\nKEY="-----BEGIN\nx=y\n"\n',
  )
})

test('whatever is written is read again', () => {
  const name = fc.stringMatching(/^[A-Za-z_]\w{0,20}$/)
  const value = fc.string({ unit: 'grapheme' }).map(text => text.replaceAll('\r', ''))
  fc.assert(
    fc.property(fc.dictionary(name, value), values => {
      expect(readEnvironmentText(environmentText(values))).toEqual({ ...values })
    }),
  )
})
