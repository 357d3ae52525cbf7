/** Looks through folders of pages without serving them: what is broken, with file and line. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Builder } from './build.ts'
import { checkLinks } from './check-links.ts'
import { Folder, type FolderOptions } from './folder.ts'
import { errorPages } from './made/error-pages.ts'
import { Renderer } from './render/renderer.ts'
import type { Page, Site } from './site.ts'
import type { Problem, Source } from './source.ts'

export interface Checked {
  pages: number
  problems: Problem[]
}

export const checkHandbook = (folders: readonly FolderOptions[]): Promise<Checked> =>
  withSite(folders, async (_site, checked) => checked)

/** Links may lead to what is made in every environment; pages of projects are known to a running one alone. */
export async function withSite<T>(
  folders: readonly FolderOptions[],
  use: (site: Site, checked: Checked) => Promise<T>,
): Promise<T> {
  const cache = mkdtempSync(join(tmpdir(), 'qd-handbook-'))
  const renderer = new Renderer({ cache })
  try {
    const sources = folders.map(options => new Folder(options))
    await Promise.all(sources.map(source => source.scan()))
    const site = await new Builder(renderer).build([...sources, made()])
    const links = checkLinks(site).filter(({ message }) => !/ link \/projects\b/.test(message))
    const isCounted = folders.every(({ shipped }) => shipped)
      ? () => true
      : ({ source }: Page) => !source.shipped
    const pages = site.pages.filter(page => !page.source.made && isCounted(page)).length
    return await use(site, { pages, problems: [...site.problems, ...links] })
  } finally {
    renderer.close()
    rmSync(cache, { recursive: true, force: true })
  }
}

function made(): Source {
  const updatedAt = '1970-01-01T00:00:00Z'
  const texts = new Map([...errorPages(), ['projects/index.md', '# Projects\n']])
  const files = new Map([...texts].map(([path, text]) => [path, { path, text, updatedAt }]))
  return { name: 'made from what is known', prefix: '', files, problems: [], shipped: true, made: true }
}
