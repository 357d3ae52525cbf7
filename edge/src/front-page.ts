/** The front page: links to every host and whether it is ready, and to every project and whether it runs. */
import { type Html, html, page } from '@quarterdeck/pages'
import type { ProjectRoute } from './project-route.ts'
import type { Upstream } from './upstream.ts'

export interface FrontPage {
  upstreams: readonly Upstream[]
  projects: readonly ProjectRoute[]
  url(host?: string): string
  sha: string
}

export async function frontPage({ upstreams, projects, url, sha }: FrontPage): Promise<string> {
  const rows = await Promise.all(upstreams.map(upstream => row(upstream, url(upstream.name))))
  return page({
    title: 'Quarterdeck',
    homeUrl: url(),
    sha,
    body: html`<h1>Your servers, run like a platform</h1>
<h2>Hosts</h2>
<ul class="cards">
${rows}</ul>${projects.length > 0 && projectList(projects, url)}`,
  })
}

async function row(upstream: Upstream, url: string): Promise<Html> {
  const { title, purpose } = upstream
  const ready = await upstream.ready().catch(() => false)
  const state = ready ? good('ready') : bad('not ready')
  return html`<li><a href="${url}">${title}</a>${state}<p>${purpose}<br><code>${url}</code></p></li>
`
}

const projectList = (projects: readonly ProjectRoute[], url: FrontPage['url']) => html`
<h2>Projects</h2>
<ul class="cards">
${projects.map(({ name, state }) => projectRow(name, url(name), state))}</ul>`

const projectRow = (name: string, url: string, state: ProjectRoute['state'] = 'not deployed') =>
  html`<li><a href="${url}">${name}</a>${state === 'running' ? good(state) : bad(state)}</li>
`

const good = (state: string) => html`<span class="state good">${state}</span>`
const bad = (state: string) => html`<span class="state bad">${state}</span>`
