import { expect, test } from 'vitest'
import { excerptOf } from './excerpt.js'

test('an excerpt marks what was found and is plain text otherwise', () => {
  expect(excerptOf('a <b>rollback</b> of x', ['rollback'])).toEqual([
    { text: 'a <b>', match: false },
    { text: 'rollback', match: true },
    { text: '</b> of x', match: false },
  ])
  expect(excerptOf('roll rollback', ['back'])).toEqual([{ text: 'roll rollback', match: false }])
  expect(excerptOf('a=b', ['a=b', '<', '~`', '\\', '|', '[', '$^'])).toEqual([{ text: 'a=b', match: true }])
  expect(excerptOf('c++ (x', ['c++', '('])[0]).toEqual({ text: 'c++', match: true })
})

test('an excerpt is around the first match, and the longest word that stands there is marked', () => {
  const text = `${'before '.repeat(100)}deploying ${'after '.repeat(100)}`
  const excerpt = excerptOf(text, ['deploy', 'deploying'])
  expect(excerpt).toEqual([
    { text: expect.stringMatching(/^… (before )+$/), match: false },
    { text: 'deploying', match: true },
    { text: expect.stringMatching(/^( after)+.* …$/), match: false },
  ])
  expect(excerpt.map(piece => piece.text).join('').length).toBeLessThan(170)
  expect(excerptOf('undeploy Ädeploy DEPLOY', ['deploy']).filter(({ match }) => match)).toEqual([
    { text: 'DEPLOY', match: true },
  ])
  expect(excerptOf('', ['x'])).toEqual([])
  expect(excerptOf('text', [])).toEqual([{ text: 'text', match: false }])
})
