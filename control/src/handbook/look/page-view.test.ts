import { expect, test } from 'vitest'
import { builder, source } from '../under-test.ts'
import { loadAssets } from './assets.ts'
import { pageView } from './page-view.ts'

const about = {
  title: 'Handbook',
  description: null,
  language: 'en',
  url: 'http://docs.test',
  homeUrl: 'http://test',
  sha: 'x',
}

async function shown(texts: Record<string, string>, path: string, today = '2026-03-02') {
  const editUrl = 'https://git.test/edit/main/'
  const site = await builder().build([source(texts, { editUrl })])
  return (findsInPage = true) =>
    pageView(site.byPath.get(path)!, { site, about, assets: loadAssets(), findsInPage, today })
}

const texts = {
  'index.md': '# Home',
  'team/index.md': '# Team',
  'team/On call.md':
    '---\nowner: platform\ntags: [pager]\nreview_by: 2026-06-30\n---\n# On call\n\n## Who\n\n### Deep\n\n#### Deeper\n\n## When\n',
  'team/z.md': '# Zed',
}

test('a page shows where it stands, what is on it, what is around it, who wrote it when and where it is changed', async () => {
  const html = (await shown(texts, '/team/on-call'))()
  expect(html).toContain('<li><a href="/">Handbook</a></li><li><a href="/team">Team</a></li>')
  expect(html.match(/<a href="#[^"]*">\w+<\/a>/g)?.slice(0, 3)).toEqual([
    '<a href="#who">Who</a>',
    '<a href="#deep">Deep</a>',
    '<a href="#when">When</a>',
  ])
  expect(html).toContain('<a class="previous" href="/team" rel="prev"><span>Previous</span>Team</a>')
  expect(html).toContain('<a class="next" href="/team/z" rel="next"><span>Next</span>Zed</a>')
  expect(html).toContain('Last changed <time datetime="2026-03-01T10:00:00Z">2026-03-01</time>')
  expect(html).toContain('<span>Owner: platform</span><span>Tags: pager</span>')
  expect(html).toContain(
    '<a href="https://git.test/edit/main/team/On%20call.md" rel="noopener">Edit this page</a>',
  )
  expect(html).toContain('<a href="/team/on-call.md">As Markdown</a>')
  expect(html).toContain('<link rel="canonical" href="http://docs.test/team/on-call">')
})

test('a page says that it may be out of date once its day has passed', async () => {
  expect((await shown(texts, '/team/on-call', '2026-06-30'))()).not.toContain('May be out of date')
  expect((await shown(texts, '/team/on-call', '2026-07-01'))()).toContain(
    'It was to be looked through by 2026-06-30, by platform.',
  )
})

test('a page names what finds in it, or leaves finding to the host', async () => {
  const page = await shown(texts, '/')
  expect(page(true)).toMatch(
    /<form action="\/search" role="search" data-finder="\/assets\/[\w-]+\.js" data-index="\/index\.json">/,
  )
  expect(page(false)).toContain('<form action="/search" role="search">')
})
