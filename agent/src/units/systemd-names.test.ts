import { expect, test } from 'vitest'
import { unitName, userName } from './systemd-names.ts'

test('web is the project’s own unit, and no two processes share one', () => {
  expect(unitName('hello', 'web')).toBe('qd-hello')
  expect(unitName('hello', 'mail')).toBe('qd-hello.mail')
  expect(unitName('hello-mail', 'web')).not.toBe(unitName('hello', 'mail'))
})

test('a user’s name has at most 31 characters, and long names stay different', () => {
  expect(userName('hello')).toBe('qd-hello')
  expect(userName('a'.repeat(28))).toBe(`qd-${'a'.repeat(28)}`)
  const long = ['a'.repeat(29), 'a'.repeat(30), `${'a'.repeat(62)}b`].map(userName)
  expect(long.every(name => name.length === 31 && /^qd-a{19}_[0-9a-f]{8}$/.test(name))).toBe(true)
  expect(new Set(long).size).toBe(3)
})
