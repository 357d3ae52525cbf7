/** What lies in a folder of pages: Markdown and pictures, without links, hidden files and packages. */
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from './source.ts'

export interface Listed {
  readonly pages: readonly string[]
  readonly images: readonly string[]
  /** Every folder with something in it, `` for the one that was asked for. */
  readonly folders: readonly string[]
  readonly leftOut: readonly { path: string; message: string }[]
}

const image = /\.(png|jpe?g|gif|webp|avif|svg)$/i
export const isImage = (path: string): boolean => image.test(path)
export const isPage = (path: string): boolean => /\.md$/i.test(path)

export async function listFolder(folder: string): Promise<Listed> {
  const pages: string[] = []
  const images: string[] = []
  const folders: string[] = []
  const leftOut: { path: string; message: string }[] = []
  const visit = async (path: string, depth: number): Promise<void> => {
    folders.push(path)
    const entries = await readdir(join(folder, path), { withFileTypes: true })
    for (const entry of entries.sort(byName)) {
      const at = path === '' ? entry.name : `${path}/${entry.name}`
      if (isHidden(entry.name)) continue
      if (pages.length >= limits.files) {
        leftOut.push({ path: '', message: `holds more than ${limits.files} pages: the rest is left out` })
        return
      }
      if (entry.isSymbolicLink()) leftOut.push({ path: at, message: 'is a symbolic link: left out' })
      else if (entry.isDirectory() && depth >= limits.depth)
        leftOut.push({ path: at, message: `is more than ${limits.depth} folders deep: left out` })
      else if (entry.isDirectory()) await visit(at, depth + 1)
      else if (isPage(entry.name)) pages.push(at)
      else if (isImage(entry.name)) images.push(at)
    }
  }
  await visit('', 1)
  return { pages, images, folders, leftOut }
}

export const isHidden = (name: string): boolean => name.startsWith('.') || name === 'node_modules'

const byName = (a: Dirent, b: Dirent) => (a.name < b.name ? -1 : 1)
