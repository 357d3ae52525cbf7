import { expect, test } from 'vitest'
import { prefersHtml } from './accept.ts'

test.each([
  ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['curl', '*/*', false],
  ['a program', 'application/json', false],
  ['a program that says nothing', undefined, false],
])('%s gets what it can read', (_who, accept, html) => {
  expect(prefersHtml(accept)).toBe(html)
})
