import { temporaryDirectory } from '@quarterdeck/testing'
import { beforeEach, expect, test } from 'vitest'
import { Highlighter } from './highlighter.ts'
import { renderPage } from './render-page.ts'
import type { Rendered } from './rendered.ts'

let highlighter: Highlighter
beforeEach(() => {
  highlighter = new Highlighter(temporaryDirectory())
})

async function rendered(text: string, path = 'guides/a.md'): Promise<Rendered> {
  const outcome = await renderPage({ key: 'k', prefix: 'team', path, text }, highlighter)
  if ('fault' in outcome) throw new Error(`${outcome.fault.line}: ${outcome.fault.message}`)
  return outcome.page
}

const fault = async (text: string) => {
  const outcome = await renderPage({ key: 'k', prefix: '', path: 'a.md', text }, highlighter)
  return 'fault' in outcome ? `${outcome.fault.line}: ${outcome.fault.message}` : 'none'
}

test('a page gives its title, sections with anchors, and words', async () => {
  const page = await rendered(
    '# First\n\nIntro *here*.\n\n## Two words\n\nText `code`\n\n## Two words\n\n- item\n',
  )
  expect(page.title).toBe('First')
  expect(page.sections).toEqual([
    { id: '', level: 1, title: '', text: 'Intro here.' },
    { id: 'two-words', level: 2, title: 'Two words', text: 'Text code' },
    { id: 'two-words-1', level: 2, title: 'Two words', text: 'item' },
  ])
  expect(page.words).toBe(9)
  expect(page.html).not.toContain('<h1')
  expect(page.html).toContain('<h2 id="two-words-1">Two words<a class="anchor"')
})

test('an id can be chosen, and two of one are reported', async () => {
  const page = await rendered('## A {#same}\n\n## B {#same}\n')
  expect(page.anchors).toEqual(['same', 'same-1'])
  expect(page.html).toContain('<h2 id="same">A<a')
  expect(page.problems).toEqual([{ line: 3, message: 'two headings have the id same' }])
})

test('links to files lead to pages, and what leaves the source is reported with its line', async () => {
  const page = await rendered(
    '---\ntitle: T\n---\n\n[a](../b.md#x)\n[c](./)\n[d](/errors/not_found) [e](../../up.md)\n',
  )
  expect(page.links).toEqual([
    { to: '/team/b', anchor: 'x', written: '../b.md#x', line: 5 },
    { to: '/team/guides', anchor: '', written: './', line: 6 },
    { to: '/errors/not_found', anchor: '', written: '/errors/not_found', line: 7 },
  ])
  expect(page.html).toContain('href="/team/b#x"')
  expect(page.problems).toEqual([{ line: 7, message: 'the link ../../up.md leads out of the handbook' }])
})

test('nothing in a page runs or asks outside', async () => {
  const page = await rendered(
    [
      '# <script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '[a](javascript:alert(1)) [b](data:text/html,x) [c](vbscript:x) [d](file:///etc/passwd) [e](\u0001javascript:x)',
      '![pic](https://example.com/a.png) [f](//evil.example) ![g](//evil.example/x.png "t")',
      '```"><script>\nx\n```',
    ].join('\n\n'),
  )
  expect(page.title).toBe('<script>alert(1)</script>')
  expect(page.html).not.toMatch(/<script|<img|href="(?!https:|\/)/)
  expect(page.html).toContain('<a href="https://example.com/a.png" rel="noopener noreferrer">pic</a>')
})

test('a remark in HTML is for who writes, and not shown', async () => {
  const { html, sections } = await rendered('a\n\n<!-- for\nus -->\n\nb <!-- here -->\n')
  expect(html).toBe('<p>a</p>\n<p>b &lt;!-- here --&gt;</p>\n')
  expect(sections[0]?.text).toBe('a b <!-- here -->')
})

test('notes, tasks and tables are what GitHub makes of them', async () => {
  const page = await rendered(
    '> [!WARNING]\n> Mind\n\n> plain\n\n- [ ] one\n- [x] two\n\n|a|b|\n|-|-|\n|1|2|\n',
  )
  expect(page.html).toContain(
    '<div class="note warning" role="note"><p class="note-title">Warning</p>\n<p>Mind</p>\n</div>',
  )
  expect(page.html).toContain('<blockquote>\n<p>plain</p>')
  expect(page.html.match(/class="task( done)?"/g)).toEqual(['class="task"', 'class="task done"'])
  expect(page.html).toContain('<div class="table" tabindex="0"><table>')
})

test('code is coloured by classes, once for the same content', async () => {
  const text = '```sh\ncurl -s "$URL" # why\n```\n\n```nosuch\n<b>\n```\n'
  const page = await rendered(text)
  expect(page.html).toContain('<span class="t-comment"># why</span>')
  expect(page.html).toContain('<code>&lt;b&gt;\n</code>')
  expect(page.html).not.toContain('style=')
  const before = highlighter.coloured
  expect((await rendered(text)).html).toBe(page.html)
  expect(highlighter.coloured).toBe(before)
})

test('front matter that is not right names its line', async () => {
  expect(await fault('---\ntitle: [\n---\n')).toMatch(/^2: the front matter is not YAML/)
  expect(await fault('---\ntitle: A\nowenr: b\n---\n')).toMatch(/^3: front matter: owenr: Unrecognized key/)
  expect(await fault('---\ntitle: A\norder: first\n---\n')).toMatch(/^3: front matter: order: /)
  expect(await fault('---\ntitle: A\n')).toMatch(/^1: the front matter has no end/)
  expect(
    await fault('---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n---\n'),
  ).toMatch(/front matter/)
  expect(await fault('---\n- a\n---\n')).toMatch(/front matter/)
  expect(await fault('---\n---\ntext')).toBe('none')
})
