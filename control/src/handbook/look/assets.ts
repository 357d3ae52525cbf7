/** What pages load: one style sheet and one script, named by their content so that they may be kept for ever. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Published } from '#http'
import { colours } from './colours.ts'

const forever = 'public, max-age=31536000, immutable'

export interface Assets {
  readonly style: string
  readonly script: string
  readonly byPath: ReadonlyMap<string, Published>
}

/** Read when they are first needed: most starts are of those who never look at a page. */
export function loadAssets(): Assets {
  const style = asset(`${colours}${read('style.css')}`, 'css', 'text/css; charset=utf-8')
  const script = asset(read('search.js'), 'js', 'text/javascript; charset=utf-8')
  return { style: style[0], script: script[0], byPath: new Map([style, script]) }
}

function asset(text: string, ending: string, type: string): [string, Published] {
  const made = new Published(text, { type, cacheControl: forever })
  return [`/assets/${made.tag.slice(0, 12)}.${ending}`, made]
}

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')
