import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { handbookIndex } from '@quarterdeck/contract'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { controlUnderTest } from '../under-test.ts'

const pages = {
  'index.md': '# Team <b>',
  'a.md':
    '---\naliases: [/old-a]\ntags: ["<x>"]\nowner: "\\"><script>"\nreview_by: 2020-01-01\n---\n# <script>alert(1)</script>\n\n## One\n\nUnicorns live here.\n',
  'pic.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
}

async function withPages(texts: Record<string, string> = pages) {
  const home = temporaryDirectory()
  const folder = join(home, 'team')
  mkdirSync(folder)
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text)
  const handbook = { ...loadConfig({ home }).handbook, folders: [{ path: 'team', at: 'team' }] }
  return controlUnderTest({ home, handbook })
}

test('the docs host serves pages, their Markdown, feeds, search and index.json, safely and once', async () => {
  const { ask, config } = await withPages()
  const get = (path: string, headers = {}) => ask('docs', path, { headers })

  const page = await get('/team/a')
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.headers['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'/,
  )
  expect(page.text).not.toMatch(/<script>|<script(?! type="module" src="\/assets\/)|style="/)
  expect(page.text).toContain('May be out of date')
  const { etag = '' } = page.headers
  expect((await get('/team/a', { 'if-none-match': etag })).status).toBe(304)
  expect((await get('/team/a', { 'accept-encoding': 'br' })).headers['content-encoding']).toBe('br')

  for (const [path, location] of [
    ['/old-a', '/team/a'],
    ['/team/', '/team'],
  ]) {
    const moved = await get(path!)
    expect([path, moved.status, moved.headers.location]).toEqual([path, 301, location])
  }
  expect((await get('/team/a.md')).text).toMatch(/^# <script>alert/)
  const picture = await get('/team/pic.svg')
  expect(picture.headers).toMatchObject({
    'content-type': 'image/svg+xml',
    'content-security-policy': expect.stringContaining('sandbox'),
  })
  const style = /href="(\/assets\/[^"]+\.css)"/.exec(page.text)?.[1]
  expect((await get(style!)).headers['cache-control']).toContain('immutable')
  const finder = /data-finder="(\/assets\/[^"]+\.js)" data-index="\/index\.json"/.exec(page.text)?.[1]
  const script = await get(finder!)
  expect([script.status, script.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8'])
  for (const [, imported] of script.text.matchAll(/^import .* from '(.*)'$/gm))
    expect([imported, (await get(imported!)).status]).toEqual([imported, 200])

  for (const path of [
    '/team/..%2f..%2foperator.token',
    '/%2e%2e/operator.token',
    '/team/pic.svg%00',
    '/nowhere',
    '/.md',
    '/a//b',
  ])
    expect([path, (await get(path)).status]).toEqual([path, 404])
  expect((await get('/%ff')).status).toBe(400)
  expect((await ask('docs', '/team/a', { method: 'POST', body: {} })).status).toBe(405)

  const index = await get('/index.json')
  const document = handbookIndex.parse(index.json)
  expect(document.pages.find(({ id }) => id === 'team/a')).toMatchObject({
    url: expect.stringMatching(/\/team\/a$/),
    parent: 'team',
    source: 'team/a.md',
    sections: [{ id: 'one', level: 2, title: 'One', text: 'Unicorns live here.' }],
  })
  // What an error’s type leads to.
  expect(document.pages.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['errors/not_found', 'run-errors/verify_failed', 'projects']),
  )
  expect((await get('/errors/not_found')).text).toContain('Check the path.')

  expect((await get('/search.json?q=unicrns')).json.items[0]).toMatchObject({
    url: '/team/a#one',
    title: '<script>alert(1)</script>',
  })
  expect((await get('/search?q=%3Cscript%3E')).text).not.toContain('<script>')
  for (const path of ['/search.json', '/search.json?q=', '/search.json?q=a&limit=-1', '/search'])
    expect((await get(path)).status).toBe(200)
  for (const [path, text] of [
    ['/llms.txt', '- [Deploying]('],
    ['/llms-full.txt', '# Deploying'],
    ['/sitemap.xml', '/team/a</loc>'],
    ['/feed.atom', '<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>'],
  ])
    expect((await get(path!)).text).toContain(text)

  const { ask: askAgain } = await controlUnderTest({
    home: temporaryDirectory(),
    handbook: { ...config.handbook, folders: [{ path: join(config.home, 'team'), at: 'team' }] },
  })
  const again = await askAgain('docs', '/index.json')
  expect(JSON.stringify(again.json.pages).replace(/localhost:\d+/g, '')).toBe(
    JSON.stringify(index.json.pages).replace(/localhost:\d+/g, ''),
  )
  expect(again.json.revision).toBe(index.json.revision)
})

test('a handbook that is too large to be loaded is searched on the host', async () => {
  const words = 'plenty '.repeat(110_000)
  const { ask } = await withPages({ 'a.md': `# A\n\n${words}`, 'b.md': `# B\n\n${words}unicorn` })
  expect((await ask('docs', '/team/a')).text).not.toContain('data-finder')
  expect((await ask('docs', '/search.json?q=unicrn')).json.items[0]).toMatchObject({ url: '/team/b' })
})
