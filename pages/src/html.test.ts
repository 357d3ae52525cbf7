import { expect, test } from 'vitest'
import { Html, html } from './html.ts'

const hostile = `<script>alert("a" + 'b')</script>&amp;`
const harmless = '&lt;script&gt;alert(&quot;a&quot; + &#39;b&#39;)&lt;/script&gt;&amp;amp;'

test('text is escaped, so that it is never markup, in elements and in attributes', () => {
  expect(html`<p title="${hostile}">${hostile}</p>`.text).toBe(`<p title="${harmless}">${harmless}</p>`)
})

test('what is HTML already stays as it is', () => {
  expect(html`<p>${html`<b>${hostile}</b>`}</p>`.text).toBe(`<p><b>${harmless}</b></p>`)
  expect(html`${new Html('<i>x</i>')}`.text).toBe('<i>x</i>')
})

test('lists are joined, each entry by its own kind', () => {
  expect(html`${[html`<b>1</b>`, '<2>', [3, null, [html`<i>4</i>`]]]}`.text).toBe(
    '<b>1</b>&lt;2&gt;3<i>4</i>',
  )
})

test('numbers are written out, zero included', () => {
  expect(html`${0} ${-1.5} ${Number.NaN}`.text).toBe('0 -1.5 NaN')
})

test('nothing is written for null, undefined, false and an empty text', () => {
  expect(html`[${null}${undefined}${false}${''}${[]}]`.text).toBe('[]')
})

test('something that only looks like HTML from elsewhere is escaped', () => {
  const lookAlike = { text: '<b>', toString: () => '<b>' } as unknown as string
  expect(html`${lookAlike}`.text).toBe('&lt;b&gt;')
})

test('a template without values is itself, and reads as text', () => {
  expect(`${html`<br>`}`).toBe('<br>')
})
