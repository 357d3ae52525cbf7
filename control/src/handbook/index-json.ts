/** index.json: every page with its text. The same sources give the same bytes. */
import type { HandbookIndex, HandbookPage } from '@quarterdeck/contract'
import type { About } from './about.ts'
import type { Page, Site } from './site.ts'

export function indexOf(
  { pages, revision }: Site,
  { title, description, url, language }: About,
): HandbookIndex {
  return {
    schema: 1,
    site: { title, description, url, language },
    revision,
    revised_at: newest(pages),
    links: {
      search: `${url}/search.json`,
      llms: `${url}/llms.txt`,
      llms_full: `${url}/llms-full.txt`,
      feed: `${url}/feed.atom`,
    },
    pages: pages.map(page => pageOf(page, url)),
  }
}

export const newest = (pages: readonly Page[]): string | null =>
  pages.reduce<string | null>(
    (latest, { updatedAt }) => (latest === null || updatedAt > latest ? updatedAt : latest),
    null,
  )

/** Where the page is served as Markdown. */
export const markdownPath = ({ id }: Pick<Page, 'id'>): string => `/${id}.md`

export const descriptionOf = ({ rendered: { meta, sections } }: Page): string | null =>
  meta.description ?? firstSentence(sections.find(({ text }) => text !== '')?.text ?? '')

function firstSentence(text: string): string | null {
  const sentence = /^.{20,300}?[.:!?](?=\s|$)/.exec(text)?.[0] ?? text.slice(0, 200)
  return sentence === '' ? null : sentence.replace(/:$/, '.')
}

function pageOf(page: Page, url: string): HandbookPage {
  const { id, path, file, source, hash, updatedAt, parent, rendered } = page
  const { meta, title, words, sections } = rendered
  return {
    id,
    url: `${url}${path}`,
    markdown_url: `${url}${markdownPath(page)}`,
    source: [source.prefix, file].filter(Boolean).join('/'),
    title,
    description: descriptionOf(page),
    kind: meta.kind,
    tags: meta.tags,
    parent: parent?.id ?? null,
    order: meta.order,
    services: meta.services,
    owner: meta.owner,
    updated_at: updatedAt,
    review_by: meta.review_by,
    hash,
    words,
    aliases: meta.aliases,
    sections: [...sections],
  }
}
