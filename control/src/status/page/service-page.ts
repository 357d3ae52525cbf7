/** A service's own page. */
import { type Day, type Incident, type Maintenance, type Service, windows } from '@quarterdeck/contract'
import { type Html, html } from '@quarterdeck/pages'
import { bars, dayTable } from './bars.ts'
import { runsOf } from './day-runs.ts'
import { moment } from './moment.ts'
import { type NameOf, noticeArticle } from './notice-section.ts'
import { reasonLine, stateLine, versionText } from './service-row.ts'
import { words } from './words.ts'

export interface ServicePage {
  readonly service: Service
  readonly days: readonly Day[]
  readonly chart: Html
  /** Of this service. */
  readonly notices: readonly (Incident | Maintenance)[]
  readonly nameOf: NameOf
}

export function servicePage({ service, days, chart, notices, nameOf }: ServicePage): Html {
  const { id, name, status, description } = service
  const runs = runsOf(days)
  return html`<p><a href="/">← ${words.front}</a></p>
<div id="${id}" data-status="${status}">
<div class="line"><h1>${name}</h1>${stateLine(service)}</div>
${reasonLine(service)}${description && html`<p class="soft">${description}</p>`}
${bars(name, runs)}
${dayTable(name, runs)}
</div>
<section><h2>${words.latency}</h2>${chart}</section>
<section><h2>${words.windows}</h2>${windowTable(service)}</section>
<section><h2>${words.facts}</h2>${facts(service)}</section>
<section id="notices"><h2>${words.notices}</h2>${
    notices.length === 0
      ? html`<p class="soft">${words.noIncidents}</p>`
      : notices.map(notice => noticeArticle(notice, nameOf))
  }</section>`
}

const windowTable = ({ uptime, coverage }: Service): Html =>
  html`<div class="scroll"><table><thead><tr><th scope="col">${words.window}</th><th scope="col">${words.up}</th><th scope="col">${words.observed}</th></tr></thead>
<tbody>${windows.map(window => {
    const ratio = uptime[window]
    return html`<tr><th scope="row">${words.windowNames[window]}</th><td>${ratio === null ? words.notKnown : words.percent(ratio, 3)}</td><td>${words.observedPart(coverage[window] ?? 0, window)}</td></tr>`
  })}</tbody></table></div>`

function facts({ group, version, last_checked_at, instances, depends_on, links }: Service): Html {
  const rows: [string, Html | string | null][] = [
    [words.group, group],
    [words.running, version && versionText(version)],
    [words.checked, last_checked_at && moment(last_checked_at)],
    [words.instances, words.instancesUp(instances.up, instances.total)],
    [
      words.dependsOn,
      depends_on.length > 0
        ? html`${depends_on.map((id, index) => html`${index > 0 && ', '}<a href="/services/${id}">${id}</a>`)}`
        : null,
    ],
    [words.site, links.site && html`<a href="${links.site}" rel="noopener">${links.site}</a>`],
    [words.runbook, links.runbook && html`<a href="${links.runbook}" rel="noopener">${links.runbook}</a>`],
  ]
  return html`<dl>${rows.map(([term, value]) => value !== null && html`<dt>${term}</dt><dd>${value}</dd>`)}</dl>`
}
