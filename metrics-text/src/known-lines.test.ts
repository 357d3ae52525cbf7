import { expect, test } from 'vitest'
import { KnownLines, readPage } from './index.ts'

const text = '# HELP a Help\n# TYPE a gauge\na{b="c"} 1\na{b="d"} 2 5\n a{b="c",} 3\nb NaN\n'

test('a page is the same, known or not', () => {
  const known = new KnownLines()
  const fresh = readPage(text)
  for (let i = 0; i < 3; i++) expect(readPage(text, { known })).toEqual(fresh)
})

test('a series that comes again is the same object, also from another service', () => {
  const known = new KnownLines()
  const [first] = readPage(text, { known }).samples
  const [again] = readPage('a{b="c"} 7\n', { known }).samples
  expect(again!.series).toBe(first!.series)
  expect(again!.value).toBe(7)
})

test.each(['a{b="c"} x\n', 'a{b="c"} \n', 'a{b="c"}\n', 'b {c="d"}\n', '# TYPE a\n'])(
  'what is known does not make %j right',
  wrong => {
    const known = new KnownLines()
    readPage(text, { known })
    const reason = (options: object) => {
      try {
        return readPage(wrong, options)
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(reason({ known })).toBe(reason({}))
    expect(reason({})).toEqual(expect.stringContaining('line 1: '))
  },
)

test('what one format allows the other still refuses', () => {
  const known = new KnownLines()
  readPage('a{b="c",} 1\n#  TYPE x gauge\n', { known })
  const format = 'openmetrics'
  expect(() => readPage('a{b="c",} 1\n# EOF\n', { known, format })).toThrow('a label name is expected')
  expect(() => readPage('#  TYPE x gauge\n# EOF\n', { known, format })).toThrow('neither HELP')
})

test('series that no page has any more are forgotten, and the others are not', () => {
  const known = new KnownLines(0.01)
  const [kept] = readPage('kept 1\n', { known }).samples
  const [gone] = readPage('gone 1\n', { known }).samples
  for (let i = 0; i < 100; i++) readPage(`kept 1\nseries_${i} 1\n`, { known })
  const page = readPage('kept 1\ngone 1\n', { known })
  expect(page.samples[0]!.series).toBe(kept!.series)
  expect(page.samples[1]!.series).not.toBe(gone!.series)
})
