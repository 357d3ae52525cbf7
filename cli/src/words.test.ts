import { expect, test } from 'vitest'
import { joinWords, splitWords } from './words.ts'

test.each([
  ['python -m app', ['python', '-m', 'app']],
  ['  python   -m\tapp ', ['python', '-m', 'app']],
  [`sh -c 'a "b" c'`, ['sh', '-c', 'a "b" c']],
  [`x --name="two words"y`, ['x', '--name=two wordsy']],
  [`x '' ""`, ['x', '', '']],
  ['$HOME `ls` *', ['$HOME', '`ls`', '*']],
  ['', []],
])('%j is split without a shell', (text, words) => {
  expect(splitWords(text)).toEqual(words)
})

test.each([`x 'y`, `x "y`, `'`])('%j has a quote that is not closed', text => {
  expect(splitWords(text)).toBeUndefined()
})

test('what is joined is split to the same', () => {
  const words = ['a', 'b c', '', `it's`, 'say "x"']
  expect(splitWords(joinWords(words))).toEqual(words)
})
