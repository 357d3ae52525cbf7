import { expect, test } from 'vitest'
import { requirementLines } from './requirement-lines.ts'

const parse = (text: string, variables = {}) =>
  requirementLines(text, variables).map(({ text: _text, findLinks, ...rest }) => ({
    ...rest,
    ...(findLinks.length > 0 ? { findLinks } : {}),
  }))

test.each([
  [
    'a\n\n  b >= 2 # why\n#c\n',
    [
      { number: 1, requirement: 'a' },
      { number: 3, requirement: 'b >= 2' },
    ],
  ],
  [
    'a \\\n  >=1\nb',
    [
      { number: 1, requirement: 'a   >=1' },
      { number: 3, requirement: 'b' },
    ],
  ],
  [
    'a \\\n# a comment ends it \\\nb',
    [
      { number: 1, requirement: 'a' },
      { number: 3, requirement: 'b' },
    ],
  ],
  ['git+https://h/a#egg=a', [{ number: 1, requirement: 'git+https://h/a#egg=a' }]],
  ['-r a.txt', [{ number: 1, list: { path: 'a.txt', constraint: false } }]],
  ['-ra.txt', [{ number: 1, list: { path: 'a.txt', constraint: false } }]],
  ['--requirement=a.txt', [{ number: 1, list: { path: 'a.txt', constraint: false } }]],
  ['--requirem "a b.txt"', [{ number: 1, list: { path: 'a b.txt', constraint: false } }]],
  ['--c a\\ b.txt', [{ number: 1, list: { path: 'a b.txt', constraint: true } }]],
  ['--pre -c a.txt', [{ number: 1, list: { path: 'a.txt', constraint: true } }]],
  ['-e .', [{ number: 1, editable: '.' }]],
  ['-f ./w', [{ number: 1, findLinks: ['./w'] }]],
  ['a --hash=sha256:1', [{ number: 1, requirement: 'a' }]],
  [
    'a\u000c-r x',
    [
      { number: 1, requirement: 'a' },
      { number: 2, list: { path: 'x', constraint: false } },
    ],
  ],
  ['-r last.txt \\', [{ number: 1, list: { path: 'last.txt', constraint: false } }]],
])('%j is read as pip reads it', (text, lines) => {
  expect(parse(text)).toEqual(lines)
})

test('variables that the installer has are put in, others stay', () => {
  const dollar = '$'
  expect(parse(`-r ${dollar}{HOME}/a\n${dollar}{OTHER}`, { HOME: '/h' })).toEqual([
    { number: 1, list: { path: '/h/a', constraint: false } },
    { number: 2, requirement: `${dollar}{OTHER}` },
  ])
})
