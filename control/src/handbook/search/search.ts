/** Search on the server: made when it is first asked, and then kept up with the site. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { descriptionOf } from '../index-json.ts'
import type { Rendered } from '../render/rendered.ts'
import type { Page, Site } from '../site.ts'
import { type FindablePage, Finder, type Found } from './finder.js'

const turnMs = 10

export class Search {
  readonly #finder = new Finder()
  readonly #indexed = new Map<string, Rendered>()
  #site: Site | undefined
  #following: Promise<void> = Promise.resolve()

  /** Whoever asks meanwhile waits for it. */
  follow(site: Site): Promise<void> {
    if (this.#site === site) return Promise.resolve()
    this.#following = this.#following.then(() => this.#catchUp(site))
    return this.#following
  }

  find(query: string, limit: number): Found[] {
    return this.#finder.find(query, limit)
  }

  async #catchUp(site: Site): Promise<void> {
    if (this.#site === site) return
    for (const [path, rendered] of this.#indexed) {
      if (site.byPath.get(path)?.rendered === rendered) continue
      this.#finder.remove(path)
      this.#indexed.delete(path)
    }
    let since = performance.now()
    for (const page of site.pages) {
      if (this.#indexed.has(page.path)) continue
      this.#finder.add(findable(page))
      this.#indexed.set(page.path, page.rendered)
      if (performance.now() - since < turnMs) continue
      await nextTurn()
      since = performance.now()
    }
    this.#site = site
  }
}

/** What index.json says of it, too: so the page, which reads that, finds the same. */
function findable(page: Page): FindablePage {
  const { title, meta, sections } = page.rendered
  return {
    id: page.id,
    path: page.path,
    title,
    description: descriptionOf(page),
    kind: meta.kind,
    tags: meta.tags,
    sections,
  }
}
