import { cpuMs } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { noticeHtml } from './notice-html.ts'

test.each([
  ['plain', '<p>plain</p>'],
  ['one\ntwo\n\n\nthree', '<p>one<br>two</p>\n<p>three</p>'],
  ['**strong** and *soft*', '<p><strong>strong</strong> and <em>soft</em></p>'],
  ['`a *b* <c>`', '<p><code>a *b* &lt;c&gt;</code></p>'],
  [
    '[here](https://a.example/x?a=1&b=2)',
    '<p><a href="https://a.example/x?a=1&amp;b=2" rel="nofollow noopener">here</a></p>',
  ],
  ['[x](javascript:alert(1))', '<p>[x](javascript:alert(1))</p>'],
  ['[x](https://a.example/"onclick="y)', '<p>[x](https://a.example/&quot;onclick=&quot;y)</p>'],
  ['<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
  [
    '[*x*](https://a.example/*y*)',
    '<p><a href="https://a.example/*y*" rel="nofollow noopener"><em>x</em></a></p>',
  ],
  [
    '![x](https://a.example/i.png)',
    '<p>!<a href="https://a.example/i.png" rel="nofollow noopener">x</a></p>',
  ],
])('%j', (text, wanted) => {
  expect(noticeHtml(text).text).toBe(wanted)
})

test('what is made to take long does not', () => {
  const texts = ['['.repeat(10_000), '*'.repeat(10_000), '`'.repeat(9999), '[a](https://&amp;'.repeat(600)]
  expect(cpuMs(() => texts.map(text => noticeHtml(text)))).toBeLessThan(500)
})
