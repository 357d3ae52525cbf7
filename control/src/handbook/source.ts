/** Where pages come from: folders, projects, what is known of the environment. Whatever reads one treats it as hostile. */

export interface SourceFile {
  /** In its source, with slashes: `guides/deploying.md`. */
  readonly path: string
  readonly text: string
  /** RFC 3339. */
  readonly updatedAt: string
}

/** What is wrong with a source; the page stays as it last was, or is left out. */
export interface Problem {
  /** The file, as an operator finds it. */
  readonly file: string
  readonly line: number | null
  readonly message: string
}

export interface Source {
  /** How an operator finds it: a folder’s path, `project hello`. */
  readonly name: string
  /** Where its pages are in the handbook: `` or `projects/hello/docs`. */
  readonly prefix: string
  readonly files: ReadonlyMap<string, SourceFile>
  readonly problems: readonly Problem[]
  /** Where a file can be changed: an address that its path is added to. */
  readonly editUrl?: string | undefined
  /** Came with the program: a page of one’s own takes the place of one of these without a complaint. */
  readonly shipped?: true | undefined
  /** Nobody wrote it: that it changed is no news. */
  readonly made?: true | undefined
  readonly images?: ReadonlySet<string>
  readImage?(path: string): Promise<Buffer>
}

/** Sources that come together: read when the handbook is first built, then followed. */
export interface Feed {
  readonly sources: readonly Source[]
  load(): Promise<unknown>
  /** Before each build: what follows from other sources. */
  refresh?(): void
  /** Calls `changed` after something changed, until `ended`. */
  watch(changed: () => void, ended: AbortSignal): void
}

/** A file of a source, as an operator finds it. */
export const fileOf = ({ name }: Pick<Source, 'name'>, path: string): string =>
  path === '' ? name : `${name}/${path}`

/** What one page, one source and all of them may hold. More is left out, and told. */
export const limits = {
  pageBytes: 1024 * 1024,
  files: 20_000,
  imageBytes: 5 * 1024 * 1024,
  depth: 12,
} as const
