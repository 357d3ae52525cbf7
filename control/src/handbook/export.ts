/** The handbook as files, for any web server. Pages of projects are not among them: a running environment knows those alone. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { About } from './about.ts'
import { type Checked, withSite } from './check.ts'
import { feed, llms, llmsFull, markdownOf, sitemap } from './feeds.ts'
import type { FolderOptions } from './folder.ts'
import { indexOf, markdownPath } from './index-json.ts'
import { loadAssets } from './look/assets.ts'
import { movedView } from './look/moved-view.ts'
import { pageView, type View } from './look/page-view.ts'
import { searchFileView } from './look/search-view.ts'

/** `target` is a new directory. */
export const exportHandbook = (
  folders: readonly FolderOptions[],
  about: About,
  target: string,
): Promise<Checked> =>
  withSite(folders, async (site, checked) => {
    const today = new Date().toISOString().slice(0, 10)
    // However large it is: there is nobody to ask.
    const view: View = { site, about, assets: loadAssets(), findsInPage: true, today }
    const write = (path: string, content: string | Buffer) => {
      const file = join(target, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
    }
    for (const page of site.pages) {
      write(page.path === '/' ? 'index.html' : `${page.id}/index.html`, pageView(page, view))
      write(markdownPath(page), markdownOf(page))
    }
    for (const [alias, page] of site.aliases)
      if (isPlain(alias)) write(`${alias}/index.html`, movedView(page, about))
    for (const [path, { bytes }] of view.assets.byPath) write(path, bytes)
    for (const source of site.sources)
      for (const image of source.images ?? [])
        write(join(source.prefix, image), await source.readImage!(image))
    write('search/index.html', searchFileView(view))
    write('index.json', JSON.stringify(indexOf(site, about)))
    write('llms.txt', llms(site, about))
    write('llms-full.txt', llmsFull(site, about))
    write('sitemap.xml', sitemap(site, about))
    write('feed.atom', feed(site, about))
    return checked
  })

/** Whoever writes a page says where it was before, and must not write anywhere else by that. */
const isPlain = (path: string) => path !== '/' && posix.normalize(path) === path
