/** What the docs host answers. Each answer is made when it is first asked for and kept until the handbook changes. */
import { type Asked, Published, type Route, serve } from '#http'
import { imageAt } from './check-links.ts'
import { feed, llms, llmsFull, markdownOf, sitemap } from './feeds.ts'
import type { Handbook } from './handbook.ts'
import { indexOf, markdownPath } from './index-json.ts'
import { type Assets, loadAssets } from './look/assets.ts'
import { policy } from './look/frame.ts'
import { pageView, type View } from './look/page-view.ts'
import { searchView } from './look/search-view.ts'
import { pathOf } from './page-id.ts'
import { Search } from './search/search.ts'
import type { Site } from './site.ts'

const keptAtMost = 500
const foundAtMost = 50
/** What a page may load to find by itself: about half a megabyte, compressed, and a second of a phone’s time. */
const wordsInPage = 200_000

const html = {
  type: 'text/html; charset=utf-8',
  cacheControl: 'no-cache',
  more: { 'content-security-policy': policy },
}
const forPrograms = (type: string) => ({
  type: `${type}; charset=utf-8`,
  cacheControl: 'max-age=5, stale-while-revalidate=30',
  more: { 'access-control-allow-origin': '*' },
})
const text = forPrograms('text/plain')
const markdown = forPrograms('text/markdown')

type Found = Published | { location: string; temporary?: true } | undefined

export function handbookRoutes(handbook: Handbook): Route[] {
  const { about } = handbook
  const search = new Search()
  const kept = new Kept()
  let assets: Assets | undefined

  const view = async (): Promise<View> => {
    assets ??= loadAssets()
    const site = await handbook.site()
    return {
      site,
      about,
      assets,
      findsInPage: site.words <= wordsInPage,
      today: handbook.clock.now().toISOString().slice(0, 10),
    }
  }
  const whole = (path: `/${string}`, summary: string, as: typeof text, make: (site: Site) => string) =>
    serve(path, summary, async () => {
      const site = await handbook.site()
      return kept.get(site, path, () => new Published(make(site), as))
    })
  const find = async ({ query }: Asked) => {
    const words = (query.get('q') ?? '').trim().slice(0, 200)
    const limit = Math.min(Math.max(Number(query.get('limit')) || 20, 1), foundAtMost)
    await search.follow(await handbook.site())
    return { words, items: words === '' ? [] : search.find(words, limit) }
  }
  const page = async ({ path }: Asked): Promise<Found> => {
    const now = await view()
    return now.assets.byPath.get(path) ?? pageAt(decoded(path), now, kept)
  }

  return [
    serve('/', 'The handbook', page),
    whole('/index.json', 'Every page with its text, as JSON', forPrograms('application/json'), site =>
      JSON.stringify(indexOf(site, about)),
    ),
    serve('/search', 'Search, as a page', async asked => {
      const { words, items } = await find(asked)
      return new Published(searchView(words, items, await view()), html)
    }),
    serve('/search.json', 'Search: ?q= and ?limit=', async asked => {
      const { words, items } = await find(asked)
      return new Published(JSON.stringify({ query: words, items }), forPrograms('application/json'))
    }),
    whole('/llms.txt', 'What there is, for language models', text, site => llms(site, about)),
    whole('/llms-full.txt', 'The whole handbook as one text', text, site => llmsFull(site, about)),
    whole('/sitemap.xml', 'Every page, for search engines', forPrograms('application/xml'), site =>
      sitemap(site, about),
    ),
    whole('/feed.atom', 'What changed last', forPrograms('application/atom+xml'), site => feed(site, about)),
    serve('/*', 'A page; with .md at its end as Markdown', page),
  ]
}

async function pageAt(path: string | undefined, view: View, kept: Kept): Promise<Found> {
  const { site, today } = view
  if (path === undefined) return undefined
  const page = site.byPath.get(path)
  if (page) return kept.get(site, `${today} ${path}`, () => new Published(pageView(page, view), html))
  if (path === '/') return site.pages[0] && { location: site.pages[0].path, temporary: true }
  const moved = site.aliases.get(path) ?? site.byPath.get(path.replace(/\/+$/, ''))
  if (moved) return { location: moved.path }
  if (path.endsWith('.md')) {
    const id = path.slice(1, -3)
    const source = site.byPath.get(pathOf(id))
    if (source && markdownPath(source) === path)
      return kept.get(site, path, () => new Published(markdownOf(source), markdown))
  }
  return image(path, site)
}

/** Nothing in a picture runs, even where it is looked at on its own. */
async function image(path: string, site: Site): Promise<Found> {
  const bytes = await imageAt(site, path)
    ?.read()
    .catch(() => undefined)
  const type = imageTypes[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '']
  if (!bytes || !type) return undefined
  const more = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" }
  return new Published(bytes, { type, cacheControl: 'no-cache', more })
}

const imageTypes: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** Answers of one site; another site begins anew. */
class Kept {
  #site: Site | undefined
  readonly #answers = new Map<string, Published>()

  get(site: Site, key: string, make: () => Published): Published {
    if (site !== this.#site) this.#answers.clear()
    this.#site = site
    const known = this.#answers.get(key) ?? make()
    this.#answers.delete(key)
    this.#answers.set(key, known)
    if (this.#answers.size > keptAtMost) this.#answers.delete(this.#answers.keys().next().value!)
    return known
  }
}
