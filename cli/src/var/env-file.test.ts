import { cpuMs } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { readEnvFile } from './env-file.ts'

test('names, quotes, comments and several lines are read as other tools read them', () => {
  const content = [
    '\ufeff# of the service',
    '',
    'LOG_LEVEL=info   # not too much',
    'export URL = https://x.test/#a',
    'EMPTY=',
    "SINGLE='a # b \\n $x' # c",
    'DOUBLE="a # \\"b\\"\\n$x \\d"  # c',
    'KEY="-----BEGIN KEY-----',
    'MIIE=x # no comment',
    '-----END KEY-----',
    '"',
    '  LAST=x=y\r',
    '',
  ].join('\n')
  expect(readEnvFile(content, '.env')).toEqual([
    ['LOG_LEVEL', 'info'],
    ['URL', 'https://x.test/#a'],
    ['EMPTY', ''],
    ['SINGLE', 'a # b \\n $x'],
    ['DOUBLE', 'a # "b"\n$x \\d'],
    ['KEY', '-----BEGIN KEY-----\nMIIE=x # no comment\n-----END KEY-----\n'],
    ['LAST', 'x=y'],
  ])
})

test.each([
  ['A=1\nhunter2', 2, 'it is not NAME=value'],
  ['A B=hunter2', 1, 'it is not NAME=value'],
  ['\n\nA="hunter2\nB=1', 3, 'its quotes do not end'],
  ['A="hunter2" x', 1, 'something follows them'],
  ["A='hunter2", 1, 'its quotes do not end'],
  ["A='hunter2' hunter2", 1, 'something follows them'],
])('%j is refused by its line, and nothing of it is shown', (content, line, why) => {
  const refusal = () => readEnvFile(content, '.env')
  expect(refusal).toThrow(`Line ${line} of .env cannot be read: `)
  expect(refusal).toThrow(why)
  expect(refusal).not.toThrow(/hunter2/)
})

test('a long line takes no longer than its length', () => {
  const read = (piece: string) => {
    try {
      readEnvFile(`A="${piece.repeat(20_000)}`, '.env')
    } catch {}
  }
  const pieces = ['"', '\\', 'A=', ' ', '"\n', '\n', ' #']
  expect(cpuMs(() => pieces.forEach(read))).toBeLessThan(2000)
})
