import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Lines, linesOf } from './lines.ts'

const lines = (text: string) => linesOf(Buffer.from(text))

function inChunks(bytes: Uint8Array, size: number): string[] {
  const found: string[] = []
  const reader = new Lines(line => found.push(line))
  for (let start = 0; start < bytes.length; start += size) reader.push(bytes.subarray(start, start + size))
  reader.end()
  return found
}

test('lines end with LF or CRLF, and the last one needs no end', () => {
  expect(lines('one\ntwo\r\n\r\n\nlast')).toEqual(['one', 'two', '', '', 'last'])
  expect(lines('')).toEqual([])
  expect(lines('one\n')).toEqual(['one'])
})

test('of a progress bar the last state is kept', () => {
  expect(lines('10%\r50%\r100%\ndone')).toEqual(['100%', 'done'])
  expect(lines('10%\r50%\r')).toEqual(['50%'])
  expect(lines('10%\r\r\nnext')).toEqual(['10%', 'next'])
})

test('a character that is split over chunks survives', () => {
  const text = 'Grüße aus 東京 🚢'
  expect(inChunks(Buffer.from(text), 1)).toEqual([text])
})

test('invalid UTF-8 becomes the replacement character', () => {
  expect(linesOf(Buffer.from([0x61, 0xff, 0xfe, 0x62, 0x0a, 0xe2, 0x82]))).toEqual([
    'a\ufffd\ufffdb',
    '\ufffd',
  ])
})

test('terminal commands go', () => {
  expect(
    lines('\x1b[1;31mred\x1b[0m \x1b]0;title\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\ \x1bMy\x1b(Bz'),
  ).toEqual(['red xlink yz'])
})

test('a terminal command without an end hides nothing', () => {
  expect(lines('\x1b]0;the rest of the line\nnext')).toEqual(['0;the rest of the line', 'next'])
  expect(lines('end\x1b')).toEqual(['end␛'])
})

test('other control characters are made visible, and tabs stay', () => {
  expect(lines('a\0b\x07c\x7fd\te\u0085f')).toEqual(['a␀b␇c␡d\te\ufffdf'])
})

test('a long line is cut between characters and says how much more there was', () => {
  expect(lines('x'.repeat(4096))).toEqual(['x'.repeat(4096)])
  expect(lines('x'.repeat(5000))).toEqual([`${'x'.repeat(4096)} … (904 bytes more)`])
  expect(lines(`x${'ü'.repeat(3000)}`)).toEqual([`x${'ü'.repeat(2047)} … (1906 bytes more)`])
})

test('a gigabyte without a line end does not grow the memory', () => {
  const chunk = Buffer.alloc(1024 * 1024, 'x')
  const before = process.memoryUsage().arrayBuffers
  const found: string[] = []
  const reader = new Lines(line => found.push(line))
  for (let count = 0; count < 1024; count += 1) reader.push(chunk)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024)
  reader.end()
  expect(found).toEqual([`${'x'.repeat(4096)} … (${1024 ** 3 - 4096} bytes more)`])
})

test('secrets are masked, also where colour or the cut goes through them', () => {
  expect(lines('postgres://me:geh\x1b[1meim@db/x')).toEqual(['postgres://me:***@db/x'])
  const [line] = lines(`${'x'.repeat(4070)} postgres://me:${'geheim'.repeat(20)}@db/x`)
  expect(line).toContain('postgres://me:***@')
  const coloured = lines(`${'\x1b[0m'.repeat(2040)}postgres://me:${'geheim'.repeat(20)}@db/x`)
  expect(coloured.join()).not.toContain('geheim')
})

test('however the bytes are cut into chunks, the lines are the same, and harmless', () => {
  const piece = fc.constantFrom(
    '\n',
    '\r',
    '\r\n',
    '\x1b[2K',
    '\x1b]',
    '\x07',
    'é',
    '🚢',
    'plain',
    '\u009b',
    '\0',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string())), fc.integer({ min: 1, max: 9 }), (pieces, size) => {
      const bytes = Buffer.from(pieces.join(''))
      const found = linesOf(bytes)
      expect(inChunks(bytes, size)).toEqual(found)
      expect(found.join('')).not.toMatch(/(?!\t)\p{Cc}/u)
    }),
  )
})
