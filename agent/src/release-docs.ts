/**
 * What a project brings to the handbook: the Markdown below `docs/` of the release in place. Read where it lies, with limits, and
 * without following a link: who writes a repository decides what is in it, and must not get anything else of this machine read.
 */
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { ReleaseDocs } from '@quarterdeck/contract'
import type { Site } from './site.ts'

const limits = { files: 500, fileBytes: 512 * 1024, allBytes: 8 * 1024 * 1024, depth: 8 }

export function docsOf({ releases, layout }: Pick<Site, 'releases' | 'layout'>): ReleaseDocs {
  const sha = releases.current()
  return sha === null
    ? { sha, files: [], left_out: [] }
    : { sha, ...docsIn(join(layout.release(sha), 'docs')) }
}

/** `folder` is an entry of a release; it may be anything, or missing. */
export function docsIn(folder: string): Omit<ReleaseDocs, 'sha'> {
  const files: ReleaseDocs['files'] = []
  const left_out: ReleaseDocs['left_out'] = []
  let bytes = 0
  const visit = (path: string, depth: number) => {
    for (const entry of entriesOf(join(folder, path))) {
      const at = path === '' ? entry.name : `${path}/${entry.name}`
      const reason = whyNot(entry, depth, files.length)
      if (reason !== null) {
        if (reason !== '') left_out.push({ path: at, reason })
      } else if (entry.isDirectory()) visit(at, depth + 1)
      else {
        const read = readPage(join(folder, at), limits.allBytes - bytes)
        if ('reason' in read) left_out.push({ path: at, reason: read.reason })
        else {
          files.push({ path: at, text: read.text })
          bytes += Buffer.byteLength(read.text)
        }
      }
    }
  }
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) visit('', 1)
  return { files, left_out: left_out.slice(0, limits.files) }
}

const entriesOf = (folder: string): Dirent[] =>
  readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))

/** Null: it is taken. Empty: nobody expects it to be. */
function whyNot(entry: Dirent, depth: number, count: number): string | null {
  if (entry.name.startsWith('.')) return ''
  if (entry.isSymbolicLink()) return 'is a symbolic link'
  if (entry.isDirectory()) return depth < limits.depth ? null : `is more than ${limits.depth} folders deep`
  if (!entry.isFile() || !/\.md$/i.test(entry.name)) return ''
  return count < limits.files ? null : `is more than the ${limits.files} pages that are taken`
}

function readPage(file: string, room: number): { text: string } | { reason: string } {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { size } = fstatSync(handle)
    if (size > limits.fileBytes) return { reason: `is larger than ${limits.fileBytes / 1024} KiB` }
    if (size > room)
      return { reason: `does not fit: ${limits.allBytes / 1024 / 1024} MiB of pages are taken` }
    const bytes = readFileSync(handle)
    if (bytes.includes(0)) return { reason: 'is binary, not text' }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { reason: 'is not UTF-8' }
  } finally {
    closeSync(handle)
  }
}
