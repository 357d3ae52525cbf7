/** A service on the front page. */
import type { Day, Service } from '@quarterdeck/contract'
import { type Html, html } from '@quarterdeck/pages'
import { bars, dayTable } from './bars.ts'
import { runsOf } from './day-runs.ts'
import { moment } from './moment.ts'
import { shape } from './shapes.ts'
import { words } from './words.ts'

export function serviceRow(service: Service, days: readonly Day[]): Html {
  const { id, name, status, description } = service
  const runs = runsOf(days)
  return html`<li id="${id}" data-status="${status}">
<div class="line"><h3><a href="/services/${id}">${name}</a></h3>${stateLine(service)}</div>
${reasonLine(service)}${description && html`<p class="soft">${description}</p>`}
${bars(name, runs)}
${factLine(service)}
${dayTable(name, runs)}
</li>
`
}

/** What the script changes when the state does. */
export const stateLine = ({ status, since }: Service): Html =>
  html`<p class="state">${shape(status)}<b>${words.serviceStatus[status]}</b> <span class="since">${since !== null && html`${words.since} ${moment(since)}`}</span></p>`

export const reasonLine = ({ reason }: Service): Html =>
  html`<p class="reason"${reason ? '' : html` hidden`}>${reason?.message}</p>`

function factLine({ uptime, coverage, latency_ms, version }: Service): Html {
  return html`<p class="facts"><span>${words.uptime(uptime['90d'], coverage['90d'])}</span><span>${
    latency_ms.p95 === null ? words.noLatency : words.p95(latency_ms.p95)
  }</span>${version !== null && html`<span>${versionText(version)}</span>`}</p>`
}

export const versionText = (version: NonNullable<Service['version']>): Html =>
  html`<code title="${version.sha}">${version.sha.slice(0, 7)}</code> ${
    version.deployed_at === null
      ? html`${words.seen} ${moment(version.observed_at)}`
      : html`${words.deployed} ${moment(version.deployed_at)}`
  }`
