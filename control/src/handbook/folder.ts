/** A folder of Markdown on this machine as a source: read once, then file by file as it changes. */
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { isImage, isPage, type Listed, listFolder } from './folder-list.ts'
import { watchFolders } from './folder-watch.ts'
import { GitDates } from './git-dates.ts'
import { type Feed, fileOf, limits, type Problem, type Source, type SourceFile } from './source.ts'
import { readBytes, readText, Unreadable } from './source-text.ts'

const atOnce = 32

export interface FolderOptions {
  folder: string
  prefix: string
  editUrl?: string | undefined
  shipped?: true
}

interface Known {
  readonly stamp: string
  readonly file: SourceFile | undefined
}

export class Folder implements Source, Feed {
  readonly sources: readonly Source[] = [this]
  readonly name: string
  readonly prefix: string
  readonly editUrl: string | undefined
  readonly shipped: true | undefined
  readonly #dates: GitDates
  #known = new Map<string, Known>()
  #images: ReadonlySet<string> = new Set()
  #folders: readonly string[] = []
  #problems = new Map<string, Problem>()
  #files: ReadonlyMap<string, SourceFile> = new Map()

  constructor({ folder, prefix, editUrl, shipped }: FolderOptions) {
    this.name = folder
    this.prefix = prefix
    this.editUrl = editUrl
    this.shipped = shipped
    this.#dates = new GitDates(folder)
  }

  get files(): ReadonlyMap<string, SourceFile> {
    return this.#files
  }

  get problems(): readonly Problem[] {
    return [...this.#problems.values()]
  }

  get images(): ReadonlySet<string> {
    return this.#images
  }

  /** One that was listed, and nothing else. */
  async readImage(path: string): Promise<Buffer> {
    if (!this.#images.has(path)) throw new Unreadable('is not there')
    return readBytes(join(this.name, path), limits.imageBytes)
  }

  load(): Promise<boolean> {
    return this.scan()
  }

  /** Looks at everything. True: something is not as it was. A folder that cannot be read keeps the pages it had. */
  async scan(): Promise<boolean> {
    let listed: Listed
    try {
      listed = await listFolder(this.name)
    } catch (error) {
      const message = `cannot be read (${(error as NodeJS.ErrnoException).code}): its pages stay as they were`
      const isNew = !this.#problems.has('')
      this.#problems.set('', { file: this.name, line: null, message })
      return isNew
    }
    const before = this.#files
    const dates = await this.#dates.read()
    this.#problems = new Map()
    for (const { path, message } of listed.leftOut) this.#report(path, message)
    this.#images = new Set(listed.images)
    this.#folders = listed.folders
    const known = this.#known
    this.#known = new Map()
    for (let i = 0; i < listed.pages.length; i += atOnce) {
      const some = listed.pages.slice(i, i + atOnce)
      const read = await Promise.all(some.map(path => this.#read(path, known.get(path), dates.get(path))))
      for (const [j, path] of some.entries()) this.#known.set(path, read[j]!)
    }
    this.#collect()
    return !sameFiles(before, this.#files)
  }

  /** Looks at what is said to have changed. */
  async touch(paths: ReadonlySet<string>): Promise<boolean> {
    const others = [...paths].filter(path => !isPage(path))
    if ((await Promise.all(others.map(path => this.#isOurs(path)))).includes(true)) return this.scan()
    const before = this.#files
    for (const path of [...paths].filter(isPage)) {
      this.#problems.delete(path)
      const known = await this.#read(path, this.#known.get(path), undefined)
      if (known.stamp === 'gone') this.#known.delete(path)
      else this.#known.set(path, known)
    }
    this.#collect()
    return !sameFiles(before, this.#files)
  }

  /** Calls `changed` after something changed, until `ended`. */
  watch(changed: () => void, ended: AbortSignal): void {
    watchFolders({
      root: this.name,
      folders: () => this.#folders,
      touch: paths => this.touch(paths),
      scan: () => this.scan(),
      changed,
      ended,
    })
  }

  /** A folder or a picture, of now or of before; an editor’s own files are not. */
  async #isOurs(path: string): Promise<boolean> {
    if (isImage(path) || this.#folders.includes(path)) return true
    const stat = await lstat(join(this.name, path)).catch(() => undefined)
    return stat !== undefined && !stat.isFile()
  }

  /** A page that cannot be read any more stays as it last was, and is reported. */
  async #read(path: string, known: Known | undefined, committedAt: string | undefined): Promise<Known> {
    const file = join(this.name, path)
    const stat = await lstat(file).catch(() => undefined)
    if (!stat) return { stamp: 'gone', file: undefined }
    const stamp = `${stat.mtimeMs} ${stat.size} ${stat.ino} ${committedAt ?? ''}`
    if (known?.file && known.stamp === stamp) return known
    const updatedAt =
      committedAt ?? new Date(Math.floor(stat.mtimeMs / 1000) * 1000).toISOString().replace('.000Z', 'Z')
    try {
      return { stamp, file: { path, text: await readText(file, limits.pageBytes), updatedAt } }
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      this.#report(path, error.message)
      return { stamp: `${stamp} unreadable`, file: known?.file }
    }
  }

  #report(path: string, message: string): void {
    this.#problems.set(path, { file: fileOf(this, path), line: null, message })
  }

  #collect(): void {
    const files = new Map<string, SourceFile>()
    for (const [path, { file }] of this.#known) if (file) files.set(path, file)
    this.#files = files
  }
}

const sameFiles = (a: ReadonlyMap<string, SourceFile>, b: ReadonlyMap<string, SourceFile>) =>
  a.size === b.size && [...a].every(([path, file]) => b.get(path) === file)
