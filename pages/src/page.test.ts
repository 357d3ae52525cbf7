import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { html } from './html.ts'
import { page } from './page.ts'
import { contentSecurityPolicy } from './style.ts'

const text = page({
  title: 'Status <of> "it"',
  homeUrl: 'http://localhost:8300/?a&b',
  body: html`<h1>Hello</h1>`,
  sha: '4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394',
})

test('a page is a whole document in one language, with a title and its text', () => {
  expect(text.startsWith('<!doctype html>\n<html lang="en">\n')).toBe(true)
  expect(text).toContain('<meta charset="utf-8">')
  expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
  expect(text).toContain('<title>Status &lt;of&gt; &quot;it&quot;</title>')
  expect(text).toContain('<main>\n<h1>Hello</h1>\n</main>')
  expect(text).toContain('<a href="http://localhost:8300/?a&amp;b">')
  expect(text).toContain('<code>4f0c2ad1e9b7</code>')
})

test('a page runs no script and asks nobody else for anything', () => {
  expect(text).not.toMatch(/<script|\son\w+=|javascript:|<iframe|@import|url\(/i)
  const loaded = [...text.matchAll(/<(?:link|img)[^>]+(?:href|src)="([^"]*)"/g)].map(([, url]) => url)
  expect(loaded).toEqual([expect.stringMatching(/^data:image\/svg\+xml,/)])
})

test('the policy allows the very style sheet that is in the page, and nothing else', () => {
  const sheets = [...text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, sheet]) => sheet!)
  const hashes = sheets.map(sheet => `'sha256-${createHash('sha256').update(sheet).digest('base64')}'`)
  expect(hashes).toHaveLength(1)
  expect(contentSecurityPolicy.split('; ')).toEqual([
    "default-src 'none'",
    `style-src ${hashes[0]}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ])
  expect(text).not.toContain('style="')
})
