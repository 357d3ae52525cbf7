/** The list beside every page: the first level by kind, and what is around the page that is shown. */
import { type Html, html } from '@quarterdeck/pages'
import { titleOfKind } from '../kinds.ts'
import type { Page, Site } from '../site.ts'

/** Of one parent. Who has more looks at the parent, or searches. */
const shownAtMost = 60

export function pageList({ top }: Site, current: Page | null): Html {
  const open = new Set<Page>()
  for (let page = current; page; page = page.parent) open.add(page)
  const groups = Map.groupBy(top, ({ rendered }) => rendered.meta.kind)
  return html`${[...groups].map(
    ([kind, pages]) => html`<h2>${titleOfKind(kind)}</h2>
${list(pages, current, open)}`,
  )}`
}

function list(pages: readonly Page[], current: Page | null, open: ReadonlySet<Page>): Html {
  const at = pages.findIndex(page => open.has(page))
  const start = Math.max(0, Math.min(at - shownAtMost / 2, pages.length - shownAtMost))
  const shown = pages.slice(start, start + shownAtMost)
  return html`<ul>
${shown.map(
  page => html`<li><a href="${page.path}"${page === current && currentMark}>${page.rendered.title}</a>${
    open.has(page) && page.children.length > 0 && list(page.children, current, open)
  }</li>
`,
)}${shown.length < pages.length && html`<li>… ${pages.length} in all</li>`}</ul>`
}

const currentMark = html` aria-current="page"`
