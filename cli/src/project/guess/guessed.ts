/** What a guess is: each part with its reason. */
import type { ProjectCreate, Runtime } from '@quarterdeck/contract'

export interface Found<T> {
  value: T
  why: string
}

export type GuessedProcess = Pick<NonNullable<ProjectCreate['processes']>[number], 'name' | 'start'> &
  Partial<NonNullable<ProjectCreate['processes']>[number]>

export interface Guess {
  runtime?: Found<Runtime>
  processes?: Found<GuessedProcess[]>
  beforeRestart?: Found<string[]>
  paths?: Found<string[]>
  /** What may be meant, though it is too little to go by. */
  startHint?: string[]
  /** What was seen and is left to whoever adds it. */
  notes: string[]
}

export interface Files {
  get(path: string): string | undefined
  has(path: string): boolean
}

/** How a project of one runtime would be started. */
export interface Start {
  processes?: Found<GuessedProcess[]>
  notes: string[]
}
