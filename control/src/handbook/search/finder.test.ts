import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Finder } from './finder.js'

const page = (path: string, title: string, texts: Record<string, string>, kind = 'guide') => ({
  id: path.slice(1),
  path,
  title,
  description: null,
  kind,
  tags: [],
  sections: Object.entries(texts).map(([heading, text]) => ({
    id: heading.toLowerCase().replaceAll(' ', '-'),
    title: heading,
    text,
  })),
})

function finderOf(...pages: ReturnType<typeof page>[]) {
  const finder = new Finder()
  for (const one of pages) finder.add(one)
  return { finder, urls: (query: string, limit = 10) => finder.find(query, limit).map(({ url }) => url) }
}

const manual = [
  page('/deploying', 'Deploying', {
    'Going back': 'A rollback takes seconds: the release before is started again.',
    'What a run does': 'Fetch, install, restart the unit, verify.',
  }),
  page('/certificates', 'Certificates', { Wildcards: 'They are renewed through DNS, before they end.' }),
  page('/machines', 'Machines', { 'Adding one': 'A machine joins with one pasted line.' }),
]

test('a mistake in one of two words is forgiven, and the other still counts', () => {
  const { urls } = finderOf(...manual)
  expect(urls('rolback seconds')).toEqual(['/deploying#going-back'])
  expect(urls('restart vrify')).toEqual(['/deploying#what-a-run-does'])
  expect(urls('certifcates wildcards')[0]).toMatch(/^\/certificates/)
})

test('a word that is there is taken at its word, until no section has all of them', () => {
  const { urls } = finderOf(
    page('/a', 'A', { One: 'We forgo it.' }),
    page('/b', 'B', { Two: 'The forge has a hook.' }),
  )
  expect(urls('forgo')).toEqual(['/a#one'])
  expect(urls('forgo hook')).toEqual(['/b#two'])
})

test('beginnings of words will do, also of the last one while it is typed', () => {
  const { urls } = finderOf(...manual)
  expect(urls('certif')[0]).toBe('/certificates')
  expect(urls('pasted li')).toEqual(['/machines#adding-one'])
})

test('if no section has all words, those come that have most of them', () => {
  const { urls } = finderOf(...manual)
  expect(urls('restart the unit on zebras')).toEqual(['/deploying#what-a-run-does'])
  expect(urls('zebras giraffes')).toEqual([])
})

test('titles go before text, and what is told before what is looked up', () => {
  const { urls } = finderOf(
    page('/reference/restart', 'Restart', { Restart: 'restart restart restart' }, 'reference'),
    page('/text', 'Text', { Else: 'Before a restart and after it.' }),
    page('/guide', 'Restart', { Restart: 'How to.' }),
  )
  const found = urls('restart')
  expect(found.slice(0, 2).sort()).toEqual(['/guide', '/guide#restart'])
  expect(found.at(-1)).toBe('/text#else')
})

test('of very many sections those are shown that have it in their title, however many have it in their text', () => {
  const pages = Array.from({ length: 500 }, (_, i) =>
    page(`/p${i}`, `P${i}`, { [i % 5 === 0 ? `Backup ${i}` : `Other ${i}`]: 'It is about a backup.' }),
  )
  const { urls } = finderOf(...pages)
  const found = urls('backup', 50)
  expect(found).toHaveLength(50)
  expect(found.filter(url => !url.includes('#backup'))).toEqual([])
  expect(urls('backup', 500)).toHaveLength(500)
})

test('a page that is removed is not found, and one that is added in its place is', () => {
  const { finder, urls } = finderOf(...manual)
  finder.remove('/deploying')
  expect(urls('rollback')).toEqual([])
  finder.add(page('/new', 'New', { Fresh: 'Another rollback.' }))
  expect(urls('rollback')).toEqual(['/new#fresh'])
})

test('whatever is asked, nothing breaks', () => {
  const { finder } = finderOf(...manual)
  for (const query of [
    '',
    ' ',
    'a',
    'the of and',
    'a'.repeat(10_000),
    'a '.repeat(10_000),
    'zebra '.repeat(5000),
    '(*[^"<script>',
    '\\',
    '\u0000',
    '__proto__',
    'constructor toString hasOwnProperty',
    '💥'.repeat(200),
    '\ud800',
    'x y z w v q r s t u o p m n k l',
  ])
    expect([query, finder.find(query, 20)]).toEqual([query, []])
})

test('whatever is written is found by its own words, marked, and its text comes whole', () => {
  const word = fc.stringMatching(/^x[a-z0-9äß]{1,11}$/)
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), words => {
      const { finder } = finderOf(page('/a', 'A', { B: words.join(' ') }))
      const [found] = finder.find(words.join(' '), 5)
      expect(found?.url).toBe('/a#b')
      expect(found?.excerpt.map(({ text }) => text).join('')).toBe(words.join(' '))
      expect(found?.excerpt.some(({ match }) => match)).toBe(true)
    }),
    { numRuns: 50 },
  )
})
