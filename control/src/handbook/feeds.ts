/** The handbook for programs: sitemap, feed of changes, and its text for language models. */
import { html } from '@quarterdeck/pages'
import type { About } from './about.ts'
import { openPage } from './front-matter.ts'
import { descriptionOf, markdownPath, newest } from './index-json.ts'
import { titleOfKind } from './kinds.ts'
import type { Page, Site } from './site.ts'

const declaration = '<?xml version="1.0" encoding="utf-8"?>\n'
const entriesInFeed = 50

export const sitemap = ({ pages }: Site, { url }: About): string =>
  `${declaration}${html`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${pages.map(({ path, updatedAt }) => html`<url><loc>${url}${path}</loc><lastmod>${updatedAt}</lastmod></url>\n`)}</urlset>`}\n`

export function feed({ pages }: Site, { title, description, url, language }: About): string {
  const written = pages.filter(({ source }) => !source.made)
  const latest = written.sort((a, b) =>
    a.updatedAt > b.updatedAt ? -1 : a.updatedAt < b.updatedAt ? 1 : a.id < b.id ? -1 : 1,
  )
  return `${declaration}${html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">
<id>${url}/</id>
<title>${title}</title>
${description && html`<subtitle>${description}</subtitle>\n`}<updated>${newest(written) ?? '1970-01-01T00:00:00Z'}</updated>
<link rel="self" type="application/atom+xml" href="${url}/feed.atom"/>
<link rel="alternate" type="text/html" href="${url}/"/>
<author><name>${title}</name></author>
${latest.slice(0, entriesInFeed).map(
  page => html`<entry>
<id>${url}${page.path}</id>
<title>${page.rendered.title}</title>
<updated>${page.updatedAt}</updated>
<link rel="alternate" type="text/html" href="${url}${page.path}"/>
<summary>${descriptionOf(page) ?? ''}</summary>
</entry>
`,
)}</feed>`}\n`
}

/** As llmstxt.org has it: what there is, with links to the Markdown of each page. */
export function llms({ pages }: Site, { title, description, url }: About): string {
  const groups = Map.groupBy(pages, ({ rendered }) => rendered.meta.kind)
  const line = (page: Page) => {
    const about = descriptionOf(page)
    return `- [${inLine(page.rendered.title)}](${url}${markdownPath(page)})${about ? `: ${inLine(about)}` : ''}`
  }
  return [
    `# ${inLine(title)}`,
    ...(description ? [`> ${inLine(description)}`] : []),
    ...[...groups].map(([kind, members]) => `## ${titleOfKind(kind)}\n\n${members.map(line).join('\n')}`),
  ]
    .join('\n\n')
    .concat('\n')
}

export const llmsFull = ({ pages }: Site, { url }: About): string =>
  pages.map(page => `<!-- ${url}${page.path} -->\n\n${markdownOf(page)}`).join('\n')

/** A page as Markdown, includes in place, with its title on top and without its front matter. */
export function markdownOf({ text, rendered: { title } }: Page): string {
  const { body } = openPage(text)
  const trimmed = `${body.trim()}\n`
  return /^# /.test(trimmed) ? trimmed : `# ${inLine(title)}\n\n${trimmed}`
}

const inLine = (text: string) => text.replace(/\s+/g, ' ')
