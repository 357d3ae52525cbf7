/** What is kept of units, one small file each, whatever keeps them running. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { z } from 'zod'
import { removeFile, writeWhole } from '../whole-file.ts'

interface Named {
  readonly project: string
  readonly process: string
}

export class Records<R extends Named> {
  readonly #directory: string
  readonly #schema: z.ZodType<R>
  readonly #log: Logger

  constructor(directory: string, schema: z.ZodType<R>, log: Logger) {
    this.#directory = directory
    this.#schema = schema
    this.#log = log
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  }

  readAll(): R[] {
    const names = readdirSync(this.#directory).filter(name => name.endsWith('.json'))
    return names.flatMap(name => this.#read(join(this.#directory, name)) ?? [])
  }

  /** On disk when it returns: a process is started only after that. For its owner alone: it may hold secrets. */
  write(record: R): void {
    writeWhole(this.#fileOf(record), `${JSON.stringify(record, null, 2)}\n`, 0o600)
  }

  remove(record: Named): void {
    removeFile(this.#fileOf(record))
  }

  /** Slugs have no dot, so that no two units share a file. */
  #fileOf({ project, process }: Named): string {
    return join(this.#directory, `${project}.${process}.json`)
  }

  /** One file that cannot be read must not keep the others down. It stays, for someone to look at. */
  #read(file: string): R | undefined {
    try {
      return this.#schema.parse(JSON.parse(readFileSync(file, 'utf8')))
    } catch (error) {
      this.#log.error({ err: error, file }, 'the record of a unit cannot be read; deploy its project again')
      return undefined
    }
  }
}
