/** The front page: links to every host, and whether it is ready. */
import { type Html, html, page } from '@quarterdeck/pages'
import type { Upstream } from './upstream.ts'

export interface FrontPage {
  upstreams: readonly Upstream[]
  url(host?: string): string
  sha: string
}

export async function frontPage({ upstreams, url, sha }: FrontPage): Promise<string> {
  const rows = await Promise.all(upstreams.map(upstream => row(upstream, url(upstream.name))))
  return page({
    title: 'Quarterdeck',
    homeUrl: url(),
    sha,
    body: html`<h1>Your servers, run like a platform</h1>
<h2>Hosts</h2>
<ul class="cards">
${rows}</ul>`,
  })
}

async function row(upstream: Upstream, url: string): Promise<Html> {
  const { title, purpose } = upstream
  const ready = await upstream.ready().catch(() => false)
  const state = ready
    ? html`<span class="state good">ready</span>`
    : html`<span class="state bad">not ready</span>`
  return html`<li><a href="${url}">${title}</a>${state}<p>${purpose}<br><code>${url}</code></p></li>
`
}
