/** What is remembered of a release: a small file beside it, because the release itself is never written again. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

const releaseNote = z.object({
  /** Absent: not known. Null: it needs none. */
  environment: z.string().nullable().optional(),
  made_at: z.iso.datetime().optional(),
  /** When a deploy of it was last proved healthy. */
  verified_at: z.iso.datetime().optional(),
  bytes: z.int().optional(),
})
export type ReleaseNote = z.infer<typeof releaseNote>

/** A note that is missing or spoilt is an empty one: the release is then judged by its own dates. */
export function readNote(file: string): ReleaseNote {
  try {
    return releaseNote.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return {}
  }
}

/** Adds to what is noted, in one rename. */
export function addToNote(file: string, more: ReleaseNote): void {
  const note = { ...readNote(file), ...more }
  writeFileSync(`${file}.new`, `${JSON.stringify(note)}\n`)
  renameSync(`${file}.new`, file)
}
