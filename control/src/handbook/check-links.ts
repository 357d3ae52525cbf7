/** Every link of every page: to a page that is there, and a heading on it. */
import { placeOf } from './build.ts'
import { anchorOf } from './page-id.ts'
import type { PageLink } from './render/rendered.ts'
import type { Page, Site } from './site.ts'
import type { Problem } from './source.ts'

/** What is served beside pages. */
const others = new Set([
  '/index.json',
  '/search',
  '/search.json',
  '/llms.txt',
  '/llms-full.txt',
  '/sitemap.xml',
  '/feed.atom',
])

export function checkLinks(site: Site): Problem[] {
  const anchors = new Map<Page, ReadonlySet<string>>()
  const anchorsOf = (page: Page) => {
    const known = anchors.get(page) ?? new Set([...page.rendered.anchors, anchorOf(page.rendered.title)])
    anchors.set(page, known)
    return known
  }
  const wrong = ({ to, anchor, written }: PageLink): string | undefined => {
    const page = site.byPath.get(to) ?? site.aliases.get(to)
    if (page)
      return anchor === '' || anchorsOf(page).has(anchor)
        ? undefined
        : `the link ${written} names a heading that is not there`
    return others.has(to) || imageAt(site, to) ? undefined : `the link ${written} leads nowhere`
  }
  return site.pages.flatMap(page =>
    page.rendered.links.flatMap(link => {
      const message = wrong(link)
      return message ? [{ ...placeOf(page.source, page.file, link.line, page.origins), message }] : []
    }),
  )
}

/** The source that has a picture at this path, and what it is called there. */
export function imageAt({ sources }: Site, path: string): { read(): Promise<Buffer> } | undefined {
  for (const source of sources) {
    const start = source.prefix === '' ? '/' : `/${source.prefix}/`
    const name = path.slice(start.length)
    if (path.startsWith(start) && source.images?.has(name)) return { read: () => source.readImage!(name) }
  }
  return undefined
}
