/** Incidents and maintenances with their updates. */
import type { Incident, Maintenance } from '@quarterdeck/contract'
import { type Html, html } from '@quarterdeck/pages'
import { noticeHtml } from '../notice-html.ts'
import { moment } from './moment.ts'
import { words } from './words.ts'

export type NameOf = (serviceId: string) => string

/** What is wrong or planned now. The script replaces it as a whole. */
export const noticeSection = (
  incidents: readonly Incident[],
  maintenances: readonly Maintenance[],
  nameOf: NameOf,
): Html =>
  html`<section id="notices">${
    incidents.length > 0 &&
    html`<h2>${words.incidents}</h2>${incidents.map(incident => noticeArticle(incident, nameOf))}`
  }${
    maintenances.length > 0 &&
    html`<h2>${words.maintenances}</h2>${maintenances.map(maintenance => noticeArticle(maintenance, nameOf))}`
  }</section>`

export const noticeArticle = (notice: Incident | Maintenance, nameOf: NameOf): Html =>
  html`<article class="notice" data-impact="${notice.impact}">
<h3><a href="/incidents/${notice.id}">${notice.name}</a></h3>
<p class="soft"><b>${words.noticeStatus[notice.status]}</b> · ${words.impact[notice.impact]} · ${timesOf(notice)}${
    notice.service_ids.length > 0 &&
    html` · ${words.concerns} ${notice.service_ids.map((id, index) => html`${index > 0 && ', '}${nameOf(id)}`)}`
  }</p>
${
  notice.updates.length > 0 &&
  html`<ol class="updates">${notice.updates.map(
    ({ status, body, created_at }) =>
      html`<li><p><b>${words.noticeStatus[status]}</b> <span class="soft">${moment(created_at)}</span></p>${noticeHtml(body)}</li>`,
  )}</ol>`
}
</article>
`

const timesOf = (notice: Incident | Maintenance): Html =>
  'starts_at' in notice
    ? html`${moment(notice.starts_at)} – ${moment(notice.ends_at)}`
    : html`${moment(notice.started_at)}${notice.ends_at !== null && html` – ${moment(notice.ends_at)}`}`
