/** Incidents and maintenances as an Atom feed. https://www.rfc-editor.org/rfc/rfc4287 */
import type { Incident, Maintenance, Status } from '@quarterdeck/contract'
import { html } from '@quarterdeck/pages'
import { noticeHtml } from './notice-html.ts'
import { words } from './page/words.ts'

const most = 50

export function atomFeed(
  { name, url, environment }: Status['page'],
  notices: readonly (Incident | Maintenance)[],
  now: string,
): string {
  const entries = notices
    .map(notice => ({ notice, updated: notice.updates[0]?.created_at ?? startOf(notice) }))
    .sort((a, b) => b.updated.localeCompare(a.updated))
    .slice(0, most)
  return `<?xml version="1.0" encoding="utf-8"?>\n${html`<feed xmlns="http://www.w3.org/2005/Atom">
<title>${words.feedTitle(name)}</title>
<id>${url}/</id>
<link rel="self" href="${url}/feed.atom"/>
<link href="${url}/"/>
<author><name>${environment}</name></author>
<updated>${entries[0]?.updated ?? now}</updated>
${entries.map(
  ({ notice, updated }) => html`<entry>
<title>${notice.name}</title>
<id>urn:uuid:${notice.id}${'starts_at' in notice ? `:${notice.starts_at}` : ''}</id>
<link href="${url}/incidents/${notice.id}"/>
<published>${startOf(notice)}</published>
<updated>${updated}</updated>
<category term="${notice.status}"/>
<content type="html">${notice.updates
    .map(({ status, body }) => `<p><strong>${words.noticeStatus[status]}</strong></p>${noticeHtml(body)}`)
    .join('')}</content>
</entry>
`,
)}</feed>`}\n`
}

const startOf = (notice: Incident | Maintenance): string =>
  'started_at' in notice ? notice.started_at : notice.starts_at
