/** A host's own page: what it is for and what it answers. */
import { html, page } from '@quarterdeck/pages'

export interface HostPage {
  title: string
  purpose: string
  routes: readonly { method: string; path: string; summary: string; open: boolean }[]
  homeUrl: string
  sha: string
}

export function hostPage({ title, purpose, routes, homeUrl, sha }: HostPage): string {
  return page({
    title: `${title} · Quarterdeck`,
    homeUrl,
    sha,
    body: html`<h1>${title}</h1>
<p class="lead">${purpose}</p>
<h2>What this host answers</h2>
<ul class="cards">
${routes.map(
  ({ method, path, summary, open }) =>
    html`<li><code>${method} ${open ? html`<a href="${path}">${path}</a>` : path}</code><p>${summary}</p></li>
`,
)}</ul>`,
  })
}
