/** What is kept of a unit beside what systemd knows: what it is to do, and which attempt it stands for. */
import { slug, time } from '@quarterdeck/contract'
import { z } from 'zod'

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
