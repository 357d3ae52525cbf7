import { expect, test } from 'vitest'
import { pickById, shortId } from './ids.ts'
import { future, lengthOfTime } from './numbers.ts'
import { plain } from './plain.ts'
import { details, table } from './table.ts'
import { duration, moment } from './when.ts'

test('what steers a terminal does not reach it', () => {
  expect(plain('\x1b[31mred\x1b[0m \x1b]0;title\x07a\rb\x00\tc\u202ed\u009b1m')).toBe('red ab    cd')
})

test('a table aligns, and the widest that may gives way so that a line has 100 characters', () => {
  const columns = [{ title: 'A' }, { title: 'LONG', flexible: true as const }, { title: 'B' }]
  const text = table(columns, [
    ['x', 'y'.repeat(200), 'z'],
    ['xyz', '\x1b[2Jy', 'zz'],
  ])
  const lines = text.split('\n')
  expect(lines.map(line => line.length)).toEqual([99, 99, 100, 0])
  expect(lines[1]).toBe(`x    ${'y'.repeat(90)}…  z`)
  expect(lines[2]?.indexOf('zz')).toBe(lines[0]?.indexOf('B'))
})

test('in a narrow terminal what can be spared is left out, the last first', () => {
  const spare = true as const
  const columns = [{ title: 'SERVICE' }, { title: 'COMMIT', spare }, { title: 'P95', spare }, { title: 'UP' }]
  const rows = [['hello', 'abcdef1', '12.5 ms', '99.98 %']]
  const head = (width: number) => table(columns, rows, width).split('\n')[0]!.split(/ +/)
  expect(head(80)).toEqual(['SERVICE', 'COMMIT', 'P95', 'UP'])
  expect(head(30)).toEqual(['SERVICE', 'COMMIT', 'UP'])
  expect(head(20)).toEqual(['SERVICE', 'UP'])
})

test('details align, go on below, and leave out what is not there', () => {
  expect(
    details([
      ['One', 'a'],
      ['Three', ['b', 'c']],
      ['None', null],
      ['Empty', []],
    ]),
  ).toBe('  One    a\n  Three  b\n         c\n')
})

test('times are relative for people and whole for the rest', () => {
  const now = Date.parse('2026-03-02T10:00:00Z')
  const at = (time: string) => moment(time, true, now)
  expect(at('2026-03-02T09:59:58Z')).toBe('just now')
  expect(at('2026-03-02T09:59:15Z')).toBe('45 s ago')
  expect(at('2026-03-02T09:57:00Z')).toBe('3 min ago')
  expect(at('2026-03-01T09:57:00Z')).toBe('24 h ago')
  expect(at('2026-02-20T09:57:00Z')).toBe('10 days ago')
  expect(at('2026-03-02T11:30:00Z')).toBe('in 1 h')
  expect(moment('2026-03-02T09:14:05.120Z', false)).toBe('2026-03-02T09:14:05Z')
})

test.each([
  [40, '0.0 s'],
  [1190, '1.2 s'],
  [9949, '9.9 s'],
  [9960, '10 s'],
  [119_400, '119 s'],
  [192_000, '3 min 12 s'],
  [7_500_000, '2 h 5 min'],
])('%i ms are %s', (ms, text) => expect(duration(ms)).toBe(text))

const ids = ['019cadd3-7f48-7c1e-9a40-5d2b7f60e113', '019cadd3-7f48-7c1e-9a40-5d2b7f60e114'].map(id => ({
  id,
}))

test('an id may be shortened to either end, where it is unique', () => {
  expect(shortId(ids[0]!.id)).toBe('7f60e113')
  expect(pickById('7f60e113', ids, 'qd runs')).toBe(ids[0])
  expect(pickById('60E114', ids, 'qd runs')).toBe(ids[1])
  expect(pickById('019cadd3', [ids[0]!], 'qd runs')).toBe(ids[0])
  expect(() => pickById('019cadd3', ids, 'qd runs')).toThrow(
    'stands for 2 ids, such as 7f60e113 and 7f60e114',
  )
  expect(() => pickById('e113', ids, 'qd runs')).toThrow('Nothing has the id e113.')
})

test('lengths of time and moments to come', () => {
  expect([lengthOfTime('24h'), lengthOfTime('90d'), lengthOfTime('2w')]).toEqual([
    86_400, 7_776_000, 1_209_600,
  ])
  expect(() => lengthOfTime('soon')).toThrow('such as 24h')
  expect(future('2099-01-01')).toBe('2099-01-01T00:00:00.000Z')
  expect(Date.parse(future('1h')) - Date.now()).toBeGreaterThan(3_590_000)
  expect(() => future('2020-01-01')).toThrow('in the past')
  expect(() => future('tomorrow')).toThrow('such as 90d')
})
