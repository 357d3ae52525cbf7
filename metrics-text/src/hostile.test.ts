/** Whatever comes, a page is read or refused, and soon. */

import { cpuMs } from '@quarterdeck/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Format, KnownLines, PageError, readPage } from './index.ts'

const formats: Format[] = ['text', 'openmetrics']

const answer = (page: Buffer | string, format: Format, known?: KnownLines): unknown => {
  try {
    const { metadata, samples } = readPage(page, known ? { format, known } : { format })
    return { metadata, samples: samples.map(sample => ({ ...sample, labels: [...sample.series.labels] })) }
  } catch (error) {
    if (error instanceof PageError) return error.message
    throw error
  }
}

const valid = `# HELP a_seconds Help \\" \\n
# TYPE a_seconds histogram
# UNIT a_seconds seconds
a_seconds_bucket{b="c\\\\",le="1.0"} 1 1.5 # {id="ü"} 0.5 1.25
a_seconds_bucket{b="c\\\\",le="+Inf"} 2 1.5
# TYPE d counter
d_total{e="\\"f,g}{ ="} 1e3
# EOF
`

const pieces = [
  '{',
  '}',
  '"',
  '\\',
  '\n',
  '\r',
  ' ',
  '#',
  ',',
  '=',
  '# TYPE ',
  '# HELP ',
  '# EOF\n',
  'le="',
  'NaN',
  '1e999',
  '_total',
  'a',
  '\u0000',
  '😀',
]

const edit = fc.record({
  at: fc.nat(valid.length),
  taken: fc.nat(12),
  put: fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 5 })),
})

describe.each(formats)('%s:', format => {
  test('any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => void answer(Buffer.from(bytes), format)),
    )
  })

  test('pages that are almost right are answered alike, known or not', () => {
    const known = new KnownLines(0.005)
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 3 }), edits => {
        const text = edits.reduce(
          (page, { at, taken, put }) => page.slice(0, at) + put + page.slice(at + taken),
          valid,
        )
        expect(answer(text, format, known)).toEqual(answer(text, format))
      }),
      { numRuns: 400 },
    )
  })

  test('a page cut off anywhere is refused, but for lines of the plain text that are whole', () => {
    const lines = valid.split('\n')
    for (let length = 1; length < valid.length - 1; length++) {
      const cut = valid.slice(0, length)
      if (format === 'openmetrics' || !lines.includes(cut.split('\n').at(-1)!))
        expect(answer(cut, format)).toEqual(expect.any(String))
    }
  })

  test('what is written is what is read', () => {
    const name = fc.stringMatching(/^[a-z_][a-z0-9_]{0,9}$/)
    const labels = fc.dictionary(name, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), {
      maxKeys: 4,
    })
    const samples = fc.uniqueArray(fc.tuple(name, labels, fc.double()), {
      selector: ([of]) => of,
      maxLength: 8,
    })
    const escaped = (value: string) => value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
    fc.assert(
      fc.property(samples, written => {
        const lines = written.map(([of, own, value]) => {
          const inside = Object.entries(own).map(([label, text]) => `${label}="${escaped(text)}"`)
          return `${of}{${inside.join(',')}} ${value}\n`
        })
        const page = readPage(Buffer.from(`${lines.join('')}# EOF\n`), { format })
        const read = page.samples.map(({ series, value }) => [series.name, [...series.labels], value])
        expect(read).toEqual(
          written.map(([of, own, value]) => [of, Object.entries(own), value === 0 ? 0 : value]),
        )
      }),
    )
  })

  const much = 100_000
  test.each([
    ['blanks', ' '.repeat(much)],
    ['a name', 'a'.repeat(much)],
    ['braces', 'a{'.repeat(much / 2)],
    ['an open label', `a{b="${'c'.repeat(much)}`],
    ['backslashes', `a{b="${'\\'.repeat(much)}"} 1\n`],
    ['labels', `a{${Array.from({ length: much / 10 }, (_, i) => `b${i}="c"`).join(',')}} 1\n`],
    ['lines of labels', `a{${Array.from({ length: 250 }, (_, i) => `b${i}="c"`).join(',')}} 1\n`.repeat(50)],
    ['digits', `a ${'9'.repeat(much)}\n`],
    ['words', `a ${'1 '.repeat(much / 2)}\n`],
    ['quotes', `a{${'"'.repeat(much)}\n`],
    ['empty lines', '\n'.repeat(much)],
    ['hashes', '#\n'.repeat(much / 2)],
    ['escapes in help', `# HELP a ${'\\n'.repeat(much / 2)}\n`],
    ['families', Array.from({ length: much / 20 }, (_, i) => `# TYPE a${i} gauge\n`).join('')],
    ['points', Array.from({ length: much / 20 }, (_, i) => `a{b="c"} 1 ${i}\n`).join('')],
    ['metrics', Array.from({ length: much / 20 }, (_, i) => `a{b="${i}"} 1\n`).join('')],
    [
      'buckets',
      `# TYPE a histogram\n${Array.from({ length: much / 20 }, (_, i) => `a_bucket{le="${i}"} 1\n`).join('')}`,
    ],
  ])('a long run of %s takes no longer than anything else', (_what, text) => {
    expect(cpuMs(() => answer(`${text}# EOF\n`, format, new KnownLines()))).toBeLessThan(3000)
  })
})

test('a message is not as long as the page', () => {
  const long = 'x'.repeat(4000)
  for (const text of [`a ${long}\n`, `a{${long}="b",${long}="c"} 1\n`, `a 1 ${long}\n`, `a 1 2 ${long}\n`])
    expect(String(answer(text, 'text')).length).toBeLessThan(150)
})
