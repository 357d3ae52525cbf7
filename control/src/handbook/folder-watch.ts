/** Hears what changes in a folder and those below it, and looks now and then for what was missed. */
import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import { isHidden } from './folder-list.ts'

/** Editors write a file in several steps. */
const settleMs = 20
/** Where watching misses something, such as on a network’s disk. */
const lookMs = 60_000

export interface FolderWatch {
  root: string
  /** Those that there are now, by their path in the root. */
  folders(): readonly string[]
  /** Looks at some paths, or at everything; true: something is not as it was. */
  touch(paths: ReadonlySet<string>): Promise<boolean>
  scan(): Promise<boolean>
  changed(): void
  ended: AbortSignal
}

export function watchFolders({ root, folders, touch, scan, changed, ended }: FolderWatch): void {
  const watching = new Map<string, FSWatcher>()
  const dirty = new Set<string>()
  let settling: NodeJS.Timeout | undefined
  let turn: Promise<unknown> = Promise.resolve()

  const look = (work: () => Promise<boolean>) => {
    turn = turn.then(work).then(is => {
      if (ended.aborted) return
      follow()
      if (is) changed()
    })
  }
  const settle = () => {
    settling = undefined
    const paths = new Set(dirty)
    dirty.clear()
    look(() => touch(paths))
  }
  const hear = (folder: string, name: string | null) => {
    if (name !== null && isHidden(name)) return
    dirty.add([folder, name ?? ''].filter(Boolean).join('/'))
    settling ??= setTimeout(settle, settleMs)
  }
  const follow = () => {
    const wanted = new Set(folders())
    for (const folder of wanted) {
      const watcher = watching.has(folder)
        ? undefined
        : watchFolder(join(root, folder), name => hear(folder, name))
      if (watcher)
        watching.set(
          folder,
          watcher.on('error', () => watching.delete(folder)),
        )
    }
    for (const [folder, watcher] of watching) {
      if (wanted.has(folder)) continue
      watcher.close()
      watching.delete(folder)
    }
  }

  const looking = setInterval(() => look(scan), lookMs).unref()
  follow()
  ended.addEventListener('abort', () => {
    clearInterval(looking)
    clearTimeout(settling)
    for (const watcher of watching.values()) watcher.close()
  })
}

/** Undefined where the system has no more watches to give: looking now and then does it. */
function watchFolder(folder: string, hear: (name: string | null) => void): FSWatcher | undefined {
  try {
    return watch(folder, { persistent: false }, (_event, name) => hear(name))
  } catch {
    return undefined
  }
}
