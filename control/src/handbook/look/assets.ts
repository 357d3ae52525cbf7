/**
 * What pages load, named by its content so that it may be kept for ever: a style sheet and a script, and what finds, when
 * somebody first searches.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Published } from '#http'
import { colours } from './colours.ts'

const forever = 'public, max-age=31536000, immutable'
const javascript = 'text/javascript; charset=utf-8'

export interface Assets {
  readonly style: string
  readonly script: string
  /** The module that finds. */
  readonly finder: string
  readonly byPath: ReadonlyMap<string, Published>
}

/** Read when they are first needed: most starts are of those who never look at a page. */
export function loadAssets(): Assets {
  const style = asset(`${colours}${read('style.css')}`, 'css', 'text/css; charset=utf-8')
  const script = asset(read('search-box.js'), 'js', javascript)
  const miniSearch = asset(readPackage('minisearch'), 'js', javascript)
  const excerpt = asset(read('../search/excerpt.js'), 'js', javascript)
  const marks = asset(read('../search/marks.js'), 'js', javascript)
  const imported = { minisearch: miniSearch[0], './excerpt.js': excerpt[0], './marks.js': marks[0] }
  const finder = asset(importing(read('../search/finder.js'), imported), 'js', javascript)
  return {
    style: style[0],
    script: script[0],
    finder: finder[0],
    byPath: new Map([style, script, finder, miniSearch, excerpt, marks]),
  }
}

function asset(text: string, ending: string, type: string): [path: string, Published] {
  const made = new Published(text, { type, cacheControl: forever })
  return [`/assets/${made.tag.slice(0, 12)}.${ending}`, made]
}

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')

/** As browsers take it; its map of sources is not served. */
const readPackage = (name: string) =>
  readFileSync(fileURLToPath(import.meta.resolve(name)), 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '')

/** Browsers know modules by their address alone. */
function importing(text: string, paths: Record<string, string>): string {
  return text.replace(/^(import .* from) '(.*)'$/gm, (_line, start: string, name: string) => {
    const path = paths[name]
    if (path === undefined) throw new Error(`${name} is imported for pages, which are not served it`)
    return `${start} '${path}'`
  })
}
