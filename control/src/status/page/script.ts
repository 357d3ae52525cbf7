/** The one script of the pages, under a name that changes with it. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Published } from '#http'

const text = readFileSync(join(import.meta.dirname, 'live-page.mjs'), 'utf8')
const file = `status-${hash('sha256', text, 'hex').slice(0, 12)}`

export const script = {
  file,
  path: `/assets/${file}.js`,
  published: new Published(text, {
    type: 'text/javascript; charset=utf-8',
    cacheControl: 'max-age=31536000, immutable',
  }),
}
