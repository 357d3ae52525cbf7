/** The handbook as files, for any web server. Pages of projects are not among them: a running environment knows those alone. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { About } from './about.ts'
import { type Checked, withSite } from './check.ts'
import { feed, llms, llmsFull, markdownOf, sitemap } from './feeds.ts'
import type { FolderOptions } from './folder.ts'
import { indexOf, markdownPath } from './index-json.ts'
import { loadAssets } from './look/assets.ts'
import { pageView } from './look/page-view.ts'

/** `target` is a new directory. */
export const exportHandbook = (
  folders: readonly FolderOptions[],
  about: About,
  target: string,
): Promise<Checked> =>
  withSite(folders, async (site, checked) => {
    const assets = loadAssets()
    const today = new Date().toISOString().slice(0, 10)
    const write = (path: string, content: string | Buffer) => {
      const file = join(target, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
    }
    for (const page of site.pages) {
      write(
        page.path === '/' ? 'index.html' : `${page.id}/index.html`,
        pageView(page, { site, about, assets, today }),
      )
      write(markdownPath(page), markdownOf(page))
    }
    for (const [path, { bytes }] of assets.byPath) write(path, bytes)
    for (const source of site.sources)
      for (const image of source.images ?? [])
        write(join(source.prefix, image), await source.readImage!(image))
    write('index.json', JSON.stringify(indexOf(site, about)))
    write('llms.txt', llms(site, about))
    write('llms-full.txt', llmsFull(site, about))
    write('sitemap.xml', sitemap(site, about))
    write('feed.atom', feed(site, about))
    return checked
  })
