import type { HandbookIndex } from '@quarterdeck/contract'
import { expect, test } from 'vitest'
import { indexOf } from '../index-json.ts'
import { builder, source } from '../under-test.ts'
import { Finder } from './finder.js'
import { Search } from './search.ts'

test('beginnings, small mistakes and titles find the section; what is gone is not found', async () => {
  const build = builder()
  const search = new Search()
  const urls = (query: string) => search.find(query, 5).map(({ url }) => url)
  await search.follow(
    await build.build([
      source({
        'a.md': '# Deploying\n\n## Going back\n\nA rollback takes seconds.',
        'b.md': '# Other\n\nText about a rollback.',
      }),
    ]),
  )
  expect(urls('rolback')).toContain('/a#going-back')
  expect(urls('roll sec')).toEqual(['/a#going-back'])
  expect(urls('deploying')[0]).toBe('/a')
  expect(urls('zzz')).toEqual([])
  expect(urls('(*[^"<script>')).toEqual([])
  await search.follow(await build.build([source({ 'b.md': '# Other\n\nNothing.' })]))
  expect(urls('rollback')).toEqual([])
  expect(urls('nothing')).toEqual(['/b'])
})

test('the page finds what the server finds: it reads the same from index.json', async () => {
  const site = await builder().build([
    source({
      'index.md': '# Home\n\nAll about rollbacks.',
      'a.md':
        '---\ndescription: How releases get there.\ntags: [ship]\n---\n# Deploying\n\n## Going back\n\nA rollback takes seconds: it is quick.',
      'b.md': '# Other\n\n## Only a heading\n\nText about a rollback, which is long enough for a sentence.',
      'c.md': '---\nkind: reference\n---\n# Rollback\n\nEvery option.',
    }),
  ])
  const about = {
    title: 'T',
    description: null,
    language: 'en',
    url: 'http://docs.test',
    homeUrl: '',
    sha: '',
  }
  const { pages } = JSON.parse(JSON.stringify(indexOf(site, about))) as HandbookIndex
  const inPage = new Finder()
  for (const page of pages) inPage.add({ ...page, path: new URL(page.url).pathname })
  const search = new Search()
  await search.follow(site)
  for (const query of ['rollback', 'rolback', 'releases', 'ship', 'text sentence', 'only', 'zzz'])
    expect(inPage.find(query, 10)).toEqual(search.find(query, 10))
  expect(inPage.find('home', 1)[0]?.url).toBe('/')
})

test('many may ask at once, while it is made', async () => {
  const site = await builder().build([
    source(
      Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${i}.md`, `# Page ${i}\n\nWord ${i}.`])),
    ),
  ])
  const search = new Search()
  await Promise.all([search.follow(site), search.follow(site), search.follow(site)])
  expect(search.find('word', 500)).toHaveLength(300)
})
