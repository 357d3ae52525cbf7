/**
 * The journal of one run: what is about to be done is on disk before it is done, so that after a crash, at any instant,
 * the next start knows what may have happened.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { RunError, RunKind, RunOrder, RunOutcome, Step } from '@quarterdeck/contract'

export type StepState = Omit<Step, 'machine'>

export type Entry =
  | { entry: 'accepted'; order: RunOrder }
  /** What was there before: what a failure goes back to. */
  | { entry: 'began'; current: string | null; put: string | null; running: boolean }
  | {
      entry: 'decided'
      outcome: 'deploy' | 'rollback' | 'nothing'
      kind: RunKind
      ref_sha: string | null
      /** Where the working copy was. */
      head: string | null
      sha: string
      why: string
      /** Nothing, because a push has changed nothing that the project is deployed for. */
      unchanged?: true
    }
  /** The working copy, from where it was found. */
  | { entry: 'moving'; from: string | null; to: string }
  | { entry: 'installing'; environment: string }
  /** The step before the restart is done once: what began and did not end is not begun again. */
  | { entry: 'preparing' }
  | { entry: 'prepared' }
  | { entry: 'switching'; to: string; environment: string; variables?: string }
  /** With where each unit's own log was before. */
  | { entry: 'restarting'; attempt: string; marks: Record<string, number> }
  | { entry: 'verifying' }
  | { entry: 'verified' }
  | { entry: 'taking_back'; status: 'failed' | 'cancelled'; error: RunError | null }
  | { entry: 'restarting_back'; attempt: string }
  | { entry: 'ended'; outcome: RunOutcome }
  /** How far a step has come, for whoever asks; nothing depends on it. */
  | { entry: 'step'; step: StepState }
  /** Control has the end of the run on its own disk. */
  | { entry: 'recorded' }

type Named<Name extends Entry['entry']> = Extract<Entry, { entry: Name }>

/** What a run needs of its journal. */
export interface Journal {
  readonly entries: readonly Entry[]
  /** Resolves when the entry is on disk. */
  write(entry: Entry): Promise<void>
  close(): Promise<void>
}

export const lastOf = <Name extends Entry['entry']>(
  journal: Pick<Journal, 'entries'>,
  name: Name,
): Named<Name> | undefined => journal.entries.findLast((entry): entry is Named<Name> => entry.entry === name)

export async function openJournal(file: string): Promise<Journal> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const entries = readJournal(file)
  const handle = await open(file, 'a', 0o600)
  return new FileJournal(handle, entries, isCutOff(file))
}

/** Every whole entry; what a crash cut off never counted. */
export function readJournal(file: string): Entry[] {
  const entries: Entry[] = []
  for (const line of textOf(file).split('\n')) {
    try {
      entries.push(JSON.parse(line) as Entry)
    } catch {}
  }
  return entries
}

class FileJournal implements Journal {
  readonly entries: Entry[]
  readonly #handle: FileHandle
  #isCutOff: boolean

  constructor(handle: FileHandle, entries: Entry[], isCutOff: boolean) {
    this.#handle = handle
    this.entries = entries
    this.#isCutOff = isCutOff
  }

  async write(entry: Entry): Promise<void> {
    // A line that a crash or a full disk cut off must not swallow the next one.
    const text = `${this.#isCutOff ? '\n' : ''}${JSON.stringify(entry)}\n`
    this.#isCutOff = true
    await this.#handle.appendFile(text)
    this.#isCutOff = false
    // Nothing is decided by how far a step has come: it need not wait for the disk.
    if (entry.entry !== 'step') await this.#handle.datasync()
    this.entries.push(entry)
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const isCutOff = (file: string) => !/(^|\n)$/.test(textOf(file))
