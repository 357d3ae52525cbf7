import { describe, expect, test } from 'vitest'
import { variableChange, variableName, variableValue } from './variable.ts'

test.each(['LOG_LEVEL', 'a', '_x9', 'PORTS', 'MY_PATH', 'HOSTNAME', 'QUARTERDECK', 'x'.repeat(128)])(
  '%s is a name',
  name => {
    expect(variableName.safeParse(name).success).toBe(true)
  },
)

test.each([
  ...['', '9X', 'A-B', 'A B', 'A=B', 'Ä', 'A\n', 'x'.repeat(129)],
  ...['PORT', 'HOST', 'PATH', 'HOME', 'USER', 'QUARTERDECK_SHA', 'LD_PRELOAD', 'LISTEN_FDS', 'NOTIFY_SOCKET'],
])('%j is none', name => {
  expect(variableName.safeParse(name).success).toBe(false)
})

test('values may have lines and tabs, and no other control characters', () => {
  for (const value of ['', 'a\n\tb\n', 'ü – 😀', '$HOME "x" \\'])
    expect(variableValue.safeParse(value).success).toBe(true)
  for (const value of ['\0', 'a\rb', '\x1b[2J', '\x7f', 'x'.repeat(32_769)])
    expect(variableValue.safeParse(value).success).toBe(false)
})

describe('a change', () => {
  test('may leave everything out, and says nothing of secrecy by itself', () => {
    expect(variableChange.parse({})).toEqual({ set: {}, unset: [] })
    expect(variableChange.parse({ set: { A: { value: '' } } }).set.A).toEqual({ value: '' })
  })

  test.each([
    ['a secret that is too short', { set: { A: { value: 'ab5', secret: true } } }, 'set.A.value'],
    ['what is set and unset', { set: { A: { value: 'x' } }, unset: ['A'] }, 'unset'],
    ['a misspelt field', { unsett: ['A'] }, ''],
    ['a bare value', { set: { A: 'hunter2' } }, 'set.A'],
    ['a name that is not one', { set: { 'A B': { value: 'hunter2' } } }, 'set.A B'],
    ['a control character', { set: { A: { value: 'hunter2\0' } } }, 'set.A.value'],
    ['a number', { set: { A: { value: 4711 } } }, 'set.A.value'],
  ])('%s is refused by its field, and no value is repeated', (_what, change, field) => {
    const { error } = variableChange.safeParse(change)
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([field])
    expect(JSON.stringify(error?.issues)).not.toMatch(/hunter2|4711|ab5/)
  })
})
