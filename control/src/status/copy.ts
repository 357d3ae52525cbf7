/** A copy of status.json on disk, whole at every moment, for when nobody here can answer. */
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Published } from '#http'

export const copyName = 'status.json'

export class StatusCopy {
  readonly #file: string
  readonly #log: Logger
  #written: Published | undefined
  #isFailing = false
  #writing: Promise<void> = Promise.resolve()

  constructor(home: string, log: Logger) {
    this.#file = join(home, copyName)
    this.#log = log
  }

  /** What is there already is not written again. One write at a time. Never fails: the page matters more than its copy. */
  write(published: Published): Promise<void> {
    if (published === this.#written) return this.#writing
    this.#written = published
    this.#writing = this.#writing.then(() => this.#replace(published))
    return this.#writing
  }

  async #replace({ bytes }: Published): Promise<void> {
    const made = `${this.#file}.new`
    try {
      await writeFile(made, bytes, { mode: 0o644 })
      await rename(made, this.#file)
      this.#isFailing = false
    } catch (error) {
      this.#written = undefined
      if (!this.#isFailing) this.#log.warn({ err: error }, 'the copy of status.json could not be written')
      this.#isFailing = true
      // A part of it would only take room.
      await rm(made, { force: true }).catch(() => undefined)
    }
  }
}
