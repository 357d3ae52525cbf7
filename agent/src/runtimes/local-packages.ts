/** Packages that a dependency list takes from the release itself: there the content counts, not only the name. */
import { realpath, stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filePrint, treePrint } from './fingerprint.ts'

const archive = /\.(whl|zip|tar|tgz|tbz|txz|tlz|tar\.(gz|bz2|xz|lz|lzma))$/i
const address = /^[a-z][a-z0-9+.-]*:/i

/**
 * Of a requirement such as `./wheels/a-1-py3-none-any.whl`, `./lib[extra]` or `a @ file:lib`: what identifies it, beside
 * its line. pip takes such a path from the directory that it runs in, which is the release.
 */
export async function packagePrints(release: string, asked: string, editable: boolean): Promise<string[][]> {
  const [withoutMarker = ''] = asked.split(/;| --/)
  const named = /^[\w.-]+(?:\[[^\]]*\])?\s*@\s*(.+)$/.exec(withoutMarker)?.[1] ?? withoutMarker
  const path = localPath(named.trim())
    .replace(/#.*$/, '')
    .replace(/\[[^\]]*\]$/, '')
  if (address.test(path)) return []
  const looksLocal = editable || path.includes('/') || path.startsWith('.') || archive.test(path)
  const prints = looksLocal ? await printsOf(release, 'package', path, release) : []
  // An editable package is not copied: the environment leads into this very release.
  return editable && prints.length > 0 ? [...prints, ['editable', path, release]] : prints
}

/** Of `--find-links`: from the list's directory if it is there, else from the release, as pip does. */
export async function findLinksPrints(
  release: string,
  links: string,
  directory: string,
): Promise<string[][]> {
  const path = localPath(links)
  if (address.test(path)) return []
  const beside = await stat(resolve(directory, path)).catch(() => null)
  return printsOf(release, 'find-links', path, beside ? directory : release)
}

/** What lies outside the release is not looked at: it counts by its name, which is in the list's lines already. */
async function printsOf(release: string, kind: string, path: string, directory: string): Promise<string[][]> {
  const real = await realpath(resolve(directory, path)).catch(() => null)
  if (real === null || !isInside(release, real)) return []
  const print = (await stat(real)).isDirectory() ? await treePrint(real) : await filePrint(real)
  return [[kind, path, print ?? release]]
}

/** `file:` addresses are paths, too. */
export function localPath(text: string): string {
  if (!/^file:/i.test(text)) return text
  try {
    return /^file:\/\//i.test(text) ? fileURLToPath(text) : decodeURIComponent(text.slice('file:'.length))
  } catch {
    return text
  }
}

/** Both real paths, or both not. */
export const isInside = (directory: string, path: string): boolean =>
  path === directory || path.startsWith(directory + sep)
