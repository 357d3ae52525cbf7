import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maskOf } from './mask.ts'

test.each([
  ['as it is', 'key: s3cr(et)$1.*', 'key: ***'],
  ['in JSON', JSON.stringify({ key: 'a"b\\c\nd-e-f' }), '{"key":"***"}'],
  ['in an address', `https://x/?key=${encodeURIComponent('p&ss w=rd')}`, 'https://x/?key=***'],
  ['as base64', `Basic ${Buffer.from('user:hunter22').toString('base64')}`, 'Basic ***'],
  ['line by line', 'got  MIIEvQIBADAN  here', 'got  ***  here'],
  ['twice', 's3cr(et)$1.*s3cr(et)$1.*', '******'],
])('%s it is hidden', (_how, text, masked) => {
  const mask = maskOf([
    's3cr(et)$1.*',
    'a"b\\c\nd-e-f',
    'p&ss w=rd',
    'user:hunter22',
    '-----BEGIN KEY-----\nMIIEvQIBADAN\n-----END KEY-----\n',
  ])
  expect(mask(text)).toBe(masked)
})

test('of one that holds another nothing is left', () => {
  expect(maskOf(['abcd', 'abcdefgh'])('abcdefgh abcd')).toBe('*** ***')
})

test('whatever a secret looks like, a text with it has it no more', () => {
  const secret = fc
    .string({ unit: 'grapheme', minLength: 4 })
    .filter(text => text.trim().length >= 4 && !'***'.includes(text))
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
      fc.pre(!before.includes('*') && !after.includes('*') && !value.includes('*'))
      expect(maskOf([value])(before + value + after)).not.toContain(value)
    }),
  )
})

test('without secrets a text is left as it is', () => {
  expect(maskOf([])('abc *** "x"')).toBe('abc *** "x"')
  // A line of its own that is found everywhere.
  expect(maskOf(['long enough\n}\n'])('{ }')).toBe('{ }')
})
