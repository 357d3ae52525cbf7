import { expect, test } from 'vitest'
import { excerptOf, Search } from './search.ts'
import { builder, source } from './under-test.ts'

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
