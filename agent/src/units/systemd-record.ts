/** What is kept of a unit beside what systemd knows: what it is to do, and which attempt it stands for. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { slug, time } from '@quarterdeck/contract'
import type { Logger } from 'pino'
import { z } from 'zod'
import { removeFile, writeWhole } from './systemd-files.ts'

const systemdRecord = z.object({
  project: slug,
  process: slug,
  wanted: z.enum(['up', 'down']),
  attempt: z.string(),
  settled: z.boolean(),
  /** Whether this attempt has had its process, which may have ended since. */
  started: z.boolean(),
  /** Not started yet: of what ran before, so that another one proves the start. Started: this attempt's own. */
  invocation: z.string().nullable(),
  boot_id: z.string(),
  since: time,
  timer: z.boolean(),
  /** The last process ended badly. */
  failed: z.boolean(),
  /** The program of the last start, for the words in which a failure is told. */
  program: z.object({ file: z.string(), cwd: z.string() }),
  /** The unit files, so that one that is lost can be written anew. */
  files: z.record(z.string(), z.string()),
  /** What the journal has from before is another one's log: microseconds since 1970. */
  log_from_us: z.int(),
})
export type SystemdRecord = z.infer<typeof systemdRecord>

export class SystemdRecords {
  readonly #directory: string
  readonly #log: Logger

  constructor(directory: string, log: Logger) {
    this.#directory = directory
    this.#log = log
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  }

  readAll(): SystemdRecord[] {
    const names = readdirSync(this.#directory).filter(name => name.endsWith('.json'))
    return names.flatMap(name => this.#read(join(this.#directory, name)) ?? [])
  }

  write(record: SystemdRecord): void {
    writeWhole(this.#fileOf(record), `${JSON.stringify(record, null, 2)}\n`, 0o600)
  }

  remove(record: SystemdRecord): void {
    removeFile(this.#fileOf(record))
  }

  /** Slugs have no dot, so that no two units share a file. */
  #fileOf({ project, process }: SystemdRecord): string {
    return join(this.#directory, `${project}.${process}.json`)
  }

  /** One file that cannot be read must not keep the others down. It stays, for someone to look at. */
  #read(file: string): SystemdRecord | undefined {
    try {
      return systemdRecord.parse(JSON.parse(readFileSync(file, 'utf8')))
    } catch (error) {
      this.#log.error({ err: error, file }, 'the record of a unit cannot be read; deploy its project again')
      return undefined
    }
  }
}
