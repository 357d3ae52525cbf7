/**
 * The environments of one project, by hash. One is finished when its marker is there, which is written last; one
 * without a marker is what an ended build left, and is built anew. A finished one, such as the live one, is never
 * changed.
 */
import { lstat, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RunFault } from '@quarterdeck/contract'
import type { Layout } from './layout.ts'
import type { EnvironmentPlan } from './runtimes/runtime.ts'

const markerName = '.complete'

export interface EnvironmentMarker {
  readonly hash: string
  readonly interpreter: EnvironmentPlan['interpreter']
  readonly lists: readonly string[]
  readonly built_at: string
  readonly bytes: number
}

export class Environments {
  readonly #layout: Pick<Layout, 'environments' | 'environment'>
  readonly #now: () => Date
  /** Builds under way: whoever asks for the same one meanwhile waits and then looks again. */
  readonly #building = new Map<string, Promise<unknown>>()

  constructor(layout: Pick<Layout, 'environments' | 'environment'>, now: () => Date = () => new Date()) {
    this.#layout = layout
    this.#now = now
  }

  async has(hash: string): Promise<boolean> {
    return (await this.#marker(hash)) !== null
  }

  /**
   * Sees to it that the environment is there and finished. `build` gets the directory, which does not exist yet. When
   * it throws, the half-built directory goes and the error is passed on.
   */
  async ensure(
    plan: EnvironmentPlan,
    build: (directory: string) => Promise<void>,
  ): Promise<'reused' | 'built'> {
    for (let other = this.#building.get(plan.hash); other; other = this.#building.get(plan.hash))
      await other.catch(() => {})
    const work = this.#ensure(plan, build).finally(() => this.#building.delete(plan.hash))
    this.#building.set(plan.hash, work)
    return work
  }

  async remove(hash: string): Promise<void> {
    const directory = this.#directory(hash)
    // The marker first: cut short, what is left is an unfinished environment.
    await rm(join(directory, markerName), { force: true })
    await removeTree(directory)
  }

  /** All that are there; `marker` is null for an unfinished one. */
  async list(): Promise<{ hash: string; marker: EnvironmentMarker | null }[]> {
    const names = await readdir(this.#layout.environments).catch(() => [])
    const hashes = names.filter(isHash).toSorted()
    return Promise.all(hashes.map(async hash => ({ hash, marker: await this.#marker(hash) })))
  }

  async #ensure(plan: EnvironmentPlan, build: (directory: string) => Promise<void>) {
    if (await this.has(plan.hash)) return 'reused'
    const directory = this.#directory(plan.hash)
    await removeTree(directory)
    await mkdir(this.#layout.environments, { recursive: true })
    try {
      await build(directory)
      await this.#finish(plan, directory)
    } catch (error) {
      // What cannot be removed now is removed before the next build; why the build failed is what counts.
      await removeTree(directory).catch(() => {})
      throw isFull(error)
        ? new RunFault('disk_full', 'The disk was full while the environment was built.', { cause: error })
        : error
    }
    return 'built'
  }

  async #finish({ hash, interpreter, lists }: EnvironmentPlan, directory: string): Promise<void> {
    const bytes = await bytesIn(directory)
    const marker: EnvironmentMarker = { hash, interpreter, lists, built_at: this.#now().toISOString(), bytes }
    const temporary = join(directory, `${markerName}.new`)
    await using file = await open(temporary, 'w')
    await file.writeFile(`${JSON.stringify(marker)}\n`)
    await file.sync()
    await rename(temporary, join(directory, markerName))
    await using parent = await open(directory)
    await parent.sync()
  }

  async #marker(hash: string): Promise<EnvironmentMarker | null> {
    try {
      const marker = JSON.parse(await readFile(join(this.#directory(hash), markerName), 'utf8'))
      return marker.hash === hash ? marker : null
    } catch (error) {
      if (error instanceof SyntaxError || isAbsence(error)) return null
      throw error
    }
  }

  #directory(hash: string): string {
    if (!isHash(hash)) throw new Error(`${JSON.stringify(hash)} is not the hash of an environment`)
    return this.#layout.environment(hash)
  }
}

const isHash = (name: string) => /^[0-9a-f]{32}$/.test(name)

const isAbsence = (error: unknown) =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

const isFull = (error: unknown) => ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException)?.code ?? '')

/** Patient, because a program that was just killed may still have had a file in the making. */
const removeTree = (directory: string) =>
  rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })

async function bytesIn(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true })
  const sizes = await Promise.all(
    entries.map(async entry => {
      const path = join(directory, entry.name)
      return entry.isDirectory() ? bytesIn(path) : (await lstat(path)).size
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
