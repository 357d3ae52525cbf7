import { cpuMs } from '@quarterdeck/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exponential, fixed, general } from './go-number.ts'
import { parseTemplate } from './template.ts'

const data = { labels: { job: 'hello', size: '2048' }, value: 1234.5 }

test.each([
  ['{{ $labels.job }} is down', 'hello is down'],
  ['{{$labels.none}}{{ .Labels.job }}', 'hello'],
  ['{{ $value }} {{ $value | humanize }} {{ humanize1024 .Value }}', '1234.5 1.234k 1.206ki'],
  [
    '{{ $value | humanizeDuration }} {{ $value | humanizeTimestamp }}',
    '20m 34s 1970-01-01 00:20:34.5 +0000 UTC',
  ],
  ['{{ $labels.size | humanize1024 }}', '2ki'],
  ['{{ printf "%.1f %s" $value $labels.job | toUpper }}', '1234.5 HELLO'],
  ['a {{- /* not shown */ -}} b {{ "}}" }}', 'ab }}'],
  ['} }} { plain', '} }} { plain'],
])('%s', (text, expected) => {
  expect(parseTemplate(text)(data)).toBe(expected)
})

test.each([
  ['{{ if eq $value 0 }}x{{ end }}', 'if in a template is not known'],
  ['{{ range query "up" }}', 'range in a template is not known'],
  ['{{ $labels }}', '$labels in a template is not known'],
  ['{{ $value | reReplaceAll "a" "b" }}', 'reReplaceAll in a template is not known'],
  ['{{ }}', 'says nothing'],
  ['{{ $value', '{{ without }}'],
  ['{{ "open }}', '{{ without }}'],
  ['{{ humanize }}', 'humanize takes one value'],
  ['{{ printf "%d" $value }}', '%d in printf is not known for a number'],
  ['{{ printf "%.2f" $labels.job }}', '%.2f in printf is not known for a text'],
  ['{{ printf "%v %v" $value }}', 'a value that is not given'],
  ['{{ printf "x" $value }}', 'is given 1 values'],
  ['{{ printf $labels.job }}', 'begins with a format'],
])('%s is refused by name', (text, said) => {
  expect(() => parseTemplate(text)).toThrow(said)
})

test('any text is a template or refused at once', () => {
  const piece = fc.constantFrom(
    '{{',
    '}}',
    '"',
    '`',
    '\\',
    ' ',
    '|',
    '-',
    '$value',
    'printf',
    '%',
    '"%v"',
    '/*',
    '*/',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), pieces => {
      try {
        parseTemplate(pieces.join(''))(data)
      } catch (error) {
        expect(error).toBeInstanceOf(Error)
      }
    }),
    { numRuns: 300 },
  )
  const parse = () => parseTemplate(`{{ ${'"a" '.repeat(2000)}`)
  expect(cpuMs(() => expect(parse).toThrow('{{ without }}'))).toBeLessThan(500)
})

// What Go 1.19 prints.
test.each([
  [general(123456789), '1.23456789e+08'],
  [general(0.00001), '1e-05'],
  [general(100000), '100000'],
  [general(12345, 4), '1.234e+04'],
  [general(999.96, 4), '1000'],
  [general(Number.NaN), 'NaN'],
  [general(Infinity), '+Inf'],
  [general(-0), '-0'],
  [fixed(0.125, 2), '0.12'],
  [fixed(0.375, 2), '0.38'],
  [fixed(2.5, 0), '2'],
  [fixed(0.96, 0), '1'],
  [fixed(0.004, 1), '0.0'],
  [fixed(99.999, 2), '100.00'],
  [fixed(1e21, 1), '1000000000000000000000.0'],
  [exponential(0), '0e+00'],
  [exponential(12345.678, 2), '1.23e+04'],
])('%s is written as Go writes it', (written, expected) => {
  expect(written).toBe(expected)
})
