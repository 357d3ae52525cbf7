/** One page as people see it. */
import { Html, html } from '@quarterdeck/pages'
import type { About } from '../about.ts'
import { markdownPath } from '../index-json.ts'
import { anchorOf, homeId } from '../page-id.ts'
import type { Page, Site } from '../site.ts'
import type { Assets } from './assets.ts'
import { frame } from './frame.ts'
import { pageList } from './page-list.ts'

const deepestHeading = 3

export interface View {
  site: Site
  about: About
  assets: Assets
  /** The page itself finds; otherwise it asks. */
  findsInPage: boolean
  /** The day it is, to tell what should have been looked through by now. */
  today: string
}

export function pageView(page: Page, { site, about, assets, findsInPage, today }: View): string {
  const { title, html: body, meta, sections } = page.rendered
  const headings = sections.filter(({ id, level }) => id !== '' && level <= deepestHeading)
  return frame({
    about,
    assets,
    findsInPage,
    title: page.id === homeId ? about.title : title,
    description: meta.description ?? null,
    canonical: `${about.url}${page.path}`,
    markdown: markdownPath(page),
    pages: pageList(site, page),
    contents:
      headings.length > 1
        ? html`<aside class="contents" aria-label="On this page">
<p>On this page</p>
${contents(headings)}
</aside>
`
        : undefined,
    main: html`${crumbs(page, about)}<article>
<h1 id="${anchorOf(title) || 'top'}">${title}</h1>
${meta.description && html`<p class="lead">${meta.description}</p>\n`}${
  headings.length > 1 &&
  html`<details class="contents"><summary>On this page</summary>
${contents(headings)}
</details>
`
}${overdue(page, today)}${new Html(body)}</article>
${about_(page)}${turn(page)}`,
  })
}

function crumbs({ id, parent }: Page, { title }: About): Html | undefined {
  if (id === homeId) return undefined
  const above: Page[] = []
  for (let page = parent; page; page = page.parent) above.unshift(page)
  return html`<nav class="crumbs" aria-label="Breadcrumb"><ol><li><a href="/">${title}</a></li>${above.map(
    page => html`<li><a href="${page.path}">${page.rendered.title}</a></li>`,
  )}</ol></nav>
`
}

const contents = (headings: readonly { id: string; level: number; title: string }[]) =>
  html`<ul>${headings.map(
    ({ id, level, title }) =>
      html`<li${level > 2 && new Html(' class="deeper"')}><a href="#${id}">${title}</a></li>`,
  )}</ul>`

const overdue = ({ rendered: { meta } }: Page, today: string) =>
  meta.review_by !== null &&
  meta.review_by < today &&
  html`<div class="note warning" role="note"><p class="note-title">May be out of date</p><p>It was to be looked through by ${meta.review_by}${meta.owner && `, by ${meta.owner}`}.</p></div>
`

function about_(page: Page): Html {
  const { source, file, updatedAt, rendered } = page
  const { owner, tags } = rendered.meta
  const edit =
    source.editUrl &&
    `${source.editUrl.replace(/\/$/, '')}/${file.split('/').map(encodeURIComponent).join('/')}`
  return html`<div class="meta"><span>Last changed <time datetime="${updatedAt}">${updatedAt.slice(0, 10)}</time></span>${
    owner && html`<span>Owner: ${owner}</span>`
  }${tags.length > 0 && html`<span>Tags: ${tags.join(', ')}</span>`}${edit && html`<a href="${edit}" rel="noopener">Edit this page</a>`}<a href="${markdownPath(page)}">As Markdown</a></div>
`
}

const turn = ({ previous, next }: Page) =>
  (previous ?? next) &&
  html`<nav class="turn" aria-label="Next pages">${
    previous &&
    html`<a class="previous" href="${previous.path}" rel="prev"><span>Previous</span>${previous.rendered.title}</a>`
  }${next && html`<a class="next" href="${next.path}" rel="next"><span>Next</span>${next.rendered.title}</a>`}</nav>`
