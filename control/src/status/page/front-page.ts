/** The front page: how everything is, group by group. */
import type { Service } from '@quarterdeck/contract'
import { type Html, html } from '@quarterdeck/pages'
import type { StatusHead } from '../status-json.ts'
import { moment } from './moment.ts'
import { type NameOf, noticeArticle, noticeSection } from './notice-section.ts'
import { shape, statusOf } from './shapes.ts'
import { words } from './words.ts'

export interface FrontPage {
  readonly head: StatusHead
  /** By group, in order. */
  rowsOf(group: string): readonly Html[]
  /** Incidents of the last days that are over. */
  readonly past: StatusHead['incidents']
  readonly nameOf: NameOf
}

export const frontPage = ({ head, rowsOf, past, nameOf }: FrontPage): Html =>
  html`${overall(head)}
${noticeSection(head.incidents, head.maintenances, nameOf)}
${head.groups.length === 0 && html`<p>${words.noServices}</p>`}
${head.groups.map(
  ({ id, name }) => html`<section aria-labelledby="group-${id}"><h2 id="group-${id}">${name}</h2>
${listOf(rowsOf(id))}</section>
`,
)}
<section><h2>${words.pastIncidents}</h2>
${past.length === 0 ? html`<p class="soft">${words.noIncidents}</p>` : past.map(incident => noticeArticle(incident, nameOf))}
<p><a href="/history">${words.history}</a></p></section>`

/** What is far away is not laid out before it is near. */
const manyRows = 100

const listOf = (rows: readonly Html[]): Html => html`<ul class="services${rows.length > manyRows && ' many'}">
${rows}</ul>`

const overall = ({ status: { indicator, description }, generated_at }: StatusHead): Html =>
  html`<div class="overall" id="overall" data-status="${statusOf[indicator]}">${shape(statusOf[indicator])}
<div><h1>${description}</h1><p>${words.asOf} ${moment(generated_at)}</p></div></div>`

export const nameIn = (services: Iterable<{ service: Pick<Service, 'id' | 'name'> }>): NameOf => {
  const names = new Map([...services].map(({ service }) => [service.id, service.name]))
  return id => names.get(id) ?? id
}
