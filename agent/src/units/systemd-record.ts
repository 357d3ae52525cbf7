/** What is kept of a unit beside what systemd knows: what it is to do, and which attempt it stands for. */
import { slug, time } from '@quarterdeck/contract'
import { z } from 'zod'
import { bootId } from '../processes.ts'
import type { UnitStart } from './unit-engine.ts'

export const systemdRecord = z.object({
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
  /** The unit that others have made, where it was adopted. */
  adopted: z.string().nullable().default(null),
  /** What the journal has from before is another one's log: microseconds since 1970. */
  log_from_us: z.int(),
})
export type SystemdRecord = z.infer<typeof systemdRecord>

export type Described = Pick<UnitStart, 'project' | 'process' | 'attempt'> & Pick<SystemdRecord, 'program'>

interface Situation {
  /** Of what ran before. */
  readonly invocation: string
  readonly now: Date
  readonly before: SystemdRecord | undefined
}

/** Of an attempt that is about to be started. */
export function newSystemdRecord(
  { project, process, program, attempt }: Described,
  files: Record<string, string>,
  { invocation, now, before }: Situation,
): SystemdRecord {
  return {
    project: project.name,
    process: process.name,
    wanted: 'up',
    attempt,
    settled: false,
    started: false,
    invocation,
    boot_id: bootId(),
    since: now.toISOString(),
    timer: process.timer !== null,
    failed: false,
    program: { file: program.file, cwd: program.cwd },
    files,
    adopted: project.adopted?.units[process.name] ?? null,
    log_from_us: before?.log_from_us ?? now.getTime() * 1000,
  }
}
