import { expect, test } from 'vitest'
import { checkLinks } from './check-links.ts'
import { problemText } from './handbook.ts'
import { builder, problemsOf, source } from './under-test.ts'

const ids = (site: { pages: readonly { id: string }[] }) => site.pages.map(({ id }) => id)

test('pages are in the order of their kind, order and title, each folder below its page', async () => {
  const site = await builder().build([
    source({
      'z.md': '---\nkind: start\n---\n# Z',
      'index.md': '# Home',
      'b.md': '# B',
      'a.md': '---\norder: 2000\n---\n# A',
      'team/index.md': '# Team',
      'team/x.md': '# X',
      'team/deep/y.md': '# Y',
      '_part.md': 'not a page',
    }),
  ])
  expect(ids(site)).toEqual(['index', 'z', 'b', 'team', 'team/x', 'team/deep/y', 'a'])
  expect(site.byPath.get('/team/deep/y')?.parent?.id).toBe('team')
  expect(site.byPath.get('/team')).toMatchObject({ previous: { id: 'b' }, next: { id: 'team/x' } })
})

test('two pages with one id: the first counts, the other is reported', async () => {
  const own = source({ 'A b.md': '# 1', 'a-b.md': '# 2', 'index.md': '# Mine' })
  const manual = source({ 'index.md': '# Theirs' }, { name: 'manual', shipped: true })
  const site = await builder().build([own, manual])
  expect(site.pages.map(({ rendered }) => rendered.title)).toEqual(['Mine', '1'])
  expect(problemsOf(site)).toEqual(['pages/a-b.md: has the id a-b, which pages/A b.md has already: left out'])
})

test('a page that breaks stays as it last was, and one that is deleted is gone', async () => {
  const build = builder()
  await build.build([source({ 'a.md': '# Good', 'b.md': '# B' })])
  const broken = await build.build([source({ 'a.md': '---\norder: x\n---\n# Bad' })])
  expect(broken.pages.map(({ rendered }) => rendered.title)).toEqual(['Good'])
  expect(problemsOf(broken)).toEqual([expect.stringMatching(/^pages\/a\.md:2: front matter: order: /)])
  const mended = await build.build([source({ 'a.md': '# Better' })])
  expect(mended.pages.map(({ rendered }) => rendered.title)).toEqual(['Better'])
  expect(mended.problems).toEqual([])
})

test('what is included is part of the page; circles, escapes and missing files are told with their line', async () => {
  const build = builder()
  const good = await build.build([
    source({
      'a.md': '# A\n\n<!--@include: ./parts/_x.md-->\n\nend',
      'parts/_x.md': '---\ntitle: no\n---\nput in [gone](gone.md)',
    }),
  ])
  expect(good.pages[0]?.rendered.sections[0]?.text).toBe('put in gone end')
  expect(checkLinks(good).map(problemText)).toEqual(['pages/parts/_x.md:4: the link gone.md leads nowhere'])
  const faults = await build.build([
    source({
      'a.md': 'x\n<!--@include: _b.md-->',
      '_b.md': '<!--@include: a.md-->',
      'c.md': '<!--@include: ../../etc/passwd-->',
      'd.md': '<!--@include: /etc/passwd-->',
      'e.md': '<!--@include: none.md-->',
    }),
  ])
  expect(problemsOf(faults)).toEqual([
    'pages/_b.md:1: the include a.md goes round in a circle',
    'pages/c.md:1: the include ../../etc/passwd leads out of the source',
    'pages/d.md:1: the include /etc/passwd leads out of the source',
    'pages/e.md:1: the include none.md is not there',
  ])
  // The first one was good before.
  expect(ids(faults)).toEqual(['a'])
})

test('includes that grow without end are stopped', async () => {
  const texts: Record<string, string> = { 'a.md': '<!--@include: _0.md-->\n'.repeat(10) }
  for (let i = 0; i < 6; i++) texts[`_${i}.md`] = `<!--@include: _${i + 1}.md-->\n`.repeat(10)
  texts['_6.md'] = 'x'.repeat(1000)
  expect(problemsOf(await builder().build([source(texts)]))).toEqual([
    'pages/_6.md:1: what it includes makes it larger than 1024 KiB',
  ])
})

test('links are checked to the heading; aliases lead on, and two of one are reported', async () => {
  const site = await builder().build([
    source(
      {
        'a.md':
          '---\naliases: [/old, /b]\n---\n# A\n\n[ok](b.md#two) [title](b.md#b) [self](#none)\n\n[old](/old) [no](b.md#three)',
        'b.md': '# B\n\n## Two\n\n[feed](/feed.atom) ![pic](pic.png) ![none](none.png)',
      },
      { images: new Set(['pic.png']) },
    ),
  ])
  expect(site.aliases.get('/old')?.id).toBe('a')
  expect(problemsOf(site)).toEqual(['pages/a.md: the alias /b is taken by pages/b.md'])
  expect(checkLinks(site).map(problemText)).toEqual([
    'pages/a.md:6: the link #none names a heading that is not there',
    'pages/a.md:8: the link b.md#three names a heading that is not there',
    'pages/b.md:5: the link none.png leads nowhere',
  ])
})
