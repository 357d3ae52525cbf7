/** What a search found, as a page: for who has no script, and for addresses that are passed on. */
import { html } from '@quarterdeck/pages'
import type { Found } from '../search.ts'
import { frame } from './frame.ts'
import { pageList } from './page-list.ts'
import type { View } from './page-view.ts'

export function searchView(query: string, found: readonly Found[], { site, about, assets }: View): string {
  return frame({
    about,
    assets,
    title: 'Search',
    query,
    pages: pageList(site, null),
    main: html`<h1>Search</h1>
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
  })
}

function lead(query: string, count: number): string {
  if (query === '') return 'Type what you look for: beginnings of words will do.'
  return count === 0 ? `Nothing was found for “${query}”.` : `${count} found for “${query}”.`
}
