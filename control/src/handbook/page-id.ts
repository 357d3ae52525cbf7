/** Names of pages: from a file’s path to an id that lasts, and from an id to the path it is served at. */
import { createHash } from 'node:crypto'

/** The page that is served at `/`. */
export const homeId = 'index'

/** `Guides/First steps.md` below `team` is `team/guides/first-steps`; `index.md` and `README.md` stand for their folder. */
export function idOf(prefix: string, path: string): string {
  const parts = path.replace(/\.md$/i, '').split('/')
  if (/^(index|readme)$/i.test(parts.at(-1)!)) parts.pop()
  return [prefix, ...parts.map(partOf)].filter(Boolean).join('/') || homeId
}

export const pathOf = (id: string): string => (id === homeId ? '/' : `/${id}`)

/** Letters that a path cannot show as they are become a hash: the page is found none the less. */
function partOf(name: string): string {
  if (/^[a-z0-9][a-z0-9._-]*$/.test(name) && !name.endsWith('-')) return name
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '')
  return plain || createHash('sha256').update(name).digest('hex').slice(0, 8)
}

/** GitHub’s rule for anchors: lower case, spaces as hyphens; letters, digits, hyphens and underscores only. */
export function anchorOf(title: string): string {
  const lower = title.toLowerCase()
  // Most titles are plain, and the general rule is slow.
  const kept = /^[a-z0-9 _-]*$/.test(lower) ? lower : lower.replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
  return kept.replaceAll(' ', '-')
}
