/** Where a link of a page leads: to another page of the handbook, or out of it. */
import { posix } from 'node:path'
import { idOf, pathOf } from '../page-id.ts'

export type Resolved =
  | { readonly kind: 'outside'; readonly href: string }
  | { readonly kind: 'inside'; readonly href: string; readonly to: string; readonly anchor: string }
  | { readonly kind: 'escape' }

/** Pages of one folder link to the same ones again and again. */
const known = new Map<string, Resolved>()
const knownAtMost = 10_000

export function resolveLink(written: string, page: { prefix: string; path: string }): Resolved {
  if (written.startsWith('#')) return resolve(written, page)
  const key = `${page.prefix}\n${posix.dirname(page.path)}\n${written}`
  const resolved = known.get(key) ?? resolve(written, page)
  if (known.size >= knownAtMost) known.clear()
  known.set(key, resolved)
  return resolved
}

function resolve(written: string, { prefix, path }: { prefix: string; path: string }): Resolved {
  if (/^(https?|mailto):/i.test(written)) return { kind: 'outside', href: written }
  if (written.startsWith('//')) return { kind: 'outside', href: `https:${written}` }
  const [beforeAnchor = '', anchor = ''] = split(written, '#')
  const [target = ''] = split(beforeAnchor, '?')
  const to = target === '' ? pathOf(idOf(prefix, path)) : targetOf(decoded(target), prefix, path)
  if (to === undefined) return { kind: 'escape' }
  const href = anchor === '' ? to : `${to}#${anchor}`
  return { kind: 'inside', href: encodeURI(decoded(href)), to, anchor: decoded(anchor) }
}

function targetOf(target: string, prefix: string, path: string): string | undefined {
  if (target.startsWith('/')) return target.length > 1 ? target.replace(/(\.md)?\/*$/, '') : '/'
  const joined = posix.join(posix.dirname(path), target)
  if (joined === '..' || joined.startsWith('../')) return undefined
  const inSource = joined.replace(/^\.?\/?|\/$/g, '')
  if (/\.[a-z0-9]{1,5}$/i.test(inSource) && !/\.md$/i.test(inSource))
    return `/${[prefix, inSource].filter(Boolean).join('/')}`
  return pathOf(idOf(prefix, inSource === '' ? 'index.md' : inSource))
}

function split(text: string, by: string): [string, string?] {
  const at = text.indexOf(by)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
