/** What is kept of a unit, one small file each: enough to find its process again, or to start it again. */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { slug, time, timer } from '@quarterdeck/contract'
import type { Logger } from 'pino'
import { z } from 'zod'

const unitRecord = z.object({
  project: slug,
  process: slug,
  timer: timer.nullable(),
  program: z.object({
    file: z.string(),
    args: z.array(z.string()),
    cwd: z.string(),
    env: z.record(z.string(), z.string()),
  }),
  wanted: z.enum(['up', 'down']),
  attempt: z.string(),
  settled: z.boolean(),
  /** Whether this attempt has had its process, which may have ended since. */
  started: z.boolean(),
  /** Null: none runs. Set while `pid` is null: one is just being started, and known by its tag. */
  instance: z.string().nullable(),
  pid: z.int().nullable(),
  start_time: z.int().nullable(),
  /** Of when it was last started. */
  boot_id: z.string().nullable(),
  since: time.nullable(),
  restarts: z.int(),
  /** The last process ended badly. */
  failed: z.boolean(),
  /** A timer's last time, or since when it counts. */
  timer_from: time.nullable(),
})
export type UnitRecord = z.infer<typeof unitRecord>

/** What a record says when no process runs. */
export const noProcess = { instance: null, pid: null, start_time: null } as const

export class UnitRecords {
  readonly #directory: string
  readonly #log: Logger

  constructor(directory: string, log: Logger) {
    this.#directory = directory
    this.#log = log
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  }

  readAll(): UnitRecord[] {
    const names = readdirSync(this.#directory).filter(name => name.endsWith('.json'))
    return names.flatMap(name => this.#read(join(this.#directory, name)) ?? [])
  }

  /** The whole of it or nothing, and on disk when it returns: a process is started only after that. */
  write(record: UnitRecord): void {
    const file = this.#fileOf(record)
    // The program's environment may hold secrets.
    const descriptor = openSync(`${file}.new`, 'w', 0o600)
    try {
      writeSync(descriptor, `${JSON.stringify(record, null, 2)}\n`)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(`${file}.new`, file)
    this.#keepNames()
  }

  remove(record: UnitRecord): void {
    rmSync(this.#fileOf(record), { force: true })
    this.#keepNames()
  }

  /** Slugs have no dot, so that no two units share a file. */
  #fileOf({ project, process }: UnitRecord): string {
    return join(this.#directory, `${project}.${process}.json`)
  }

  /** One file that cannot be read must not keep the others down. It stays, for someone to look at. */
  #read(file: string): UnitRecord | undefined {
    try {
      return unitRecord.parse(JSON.parse(readFileSync(file, 'utf8')))
    } catch (error) {
      this.#log.error({ err: error, file }, 'the record of a unit cannot be read; deploy its project again')
      return undefined
    }
  }

  #keepNames(): void {
    const directory = openSync(this.#directory, 'r')
    try {
      fsyncSync(directory)
    } finally {
      closeSync(directory)
    }
  }
}
