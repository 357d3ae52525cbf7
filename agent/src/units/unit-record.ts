/** What is kept of a unit, one small file each: enough to find its process again, or to start it again. */
import { slug, time, timer } from '@quarterdeck/contract'
import { z } from 'zod'

export const unitRecord = z.object({
  project: slug,
  process: slug,
  timer: timer.nullable(),
  program: z.object({
    file: z.string(),
    args: z.array(z.string()),
    cwd: z.string(),
    env: z.record(z.string(), z.string()),
  }),
  /** Read at every start, because what is in them may be secret and is not kept here. */
  environment_files: z.array(z.string()).default([]),
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
