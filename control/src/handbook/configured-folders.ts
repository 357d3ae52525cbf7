/** The folders whose pages the configuration asks for: one’s own, and the manual that came with the code. */
import { join, resolve } from 'node:path'
import type { FolderOptions } from './folder.ts'

export interface FolderSettings {
  readonly home: string
  readonly handbook: {
    readonly manual: boolean
    readonly folders: readonly { path: string; at: string; edit_url?: string | undefined }[]
  }
}

/** `root`: where the code lies. The first of two pages of one name counts: one’s own. */
export const configuredFolders = ({ home, handbook }: FolderSettings, root: string): FolderOptions[] => [
  ...handbook.folders.map(({ path, at, edit_url }) => ({
    folder: resolve(home, path),
    prefix: at,
    editUrl: edit_url,
  })),
  ...(handbook.manual ? [{ folder: join(root, 'handbook'), prefix: '', shipped: true as const }] : []),
]
