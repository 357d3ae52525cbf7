/** What a search found, as a page: for who has no script, and for addresses that are passed on. */
import { type Html, html } from '@quarterdeck/pages'
import type { Found } from '../search/finder.js'
import { frame } from './frame.ts'
import { pageList } from './page-list.ts'
import type { View } from './page-view.ts'

export const searchView = (query: string, found: readonly Found[], view: View): string =>
  framed(
    view,
    query,
    html`<h1>Search</h1>
<p class="lead">${lead(query, found.length)}</p>
<ul class="results">
${found.map(
  ({
    url,
    title,
    section,
    excerpt,
  }) => html`<li><a href="${url}">${section ? `${title} › ${section}` : title}</a><p>${excerpt.map(
    ({ text, match }) => (match ? html`<mark>${text}</mark>` : text),
  )}</p></li>
`,
)}</ul>`,
  )

/** Of a handbook that is files: the page’s script fills it. */
export const searchFileView = (view: View): string =>
  framed(
    view,
    '',
    html`<h1>Search</h1>
<p class="lead">${lead('', 0)}</p>
<noscript><p>Searching takes JavaScript here. Every page is in the list.</p></noscript>
<ul class="results" data-fill></ul>`,
  )

const framed = ({ site, about, assets, findsInPage }: View, query: string, main: Html): string =>
  frame({ about, assets, findsInPage, title: 'Search', query, pages: pageList(site, null), main })

function lead(query: string, count: number): string {
  if (query === '') return 'Type what you look for: beginnings of words will do.'
  return count === 0 ? `Nothing was found for “${query}”.` : `${count} found for “${query}”.`
}
