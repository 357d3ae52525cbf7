/** The door to what keeps a project's processes running on a machine: child processes, or systemd. */
import type { PlacedProject, ProjectProcess, Unit, UnitLog } from '@quarterdeck/contract'
import type { Layout } from '../layout.ts'
import type { Program } from '../runner.ts'

export interface UnitStart {
  readonly layout: Layout
  readonly project: PlacedProject
  readonly process: ProjectProcess
  readonly program: Program
  /** Tells attempts apart, such as the run and its step. */
  readonly attempt: string
  /**
   * Runs as the agent's user before every start, whoever makes it, with its own environment alone. That it fails does not stop
   * the start. Only where units survive a restart.
   */
  readonly align?: Program
  /** A file: while it is there, there is nothing to align, and the start does not wait for it. */
  readonly alignUnless?: string
  /**
   * Files of the agent's user alone with `NAME="value"` lines, read at every start; one that is missing is no error. For
   * secrets, and for what differs from release to release: a unit that stays as it is needs no reload.
   */
  readonly environmentFiles?: readonly string[]
  /** The unit file that the project brings, `file` as it is called in the release; only where there are unit files. */
  readonly ownUnit?: { readonly file: string; readonly text: string }
}

export interface KnownUnit extends Unit {
  readonly project: string
  readonly attempt: string
  /** Another one for every process that is started; null while none runs. */
  readonly instance: string | null
  readonly wanted: 'up' | 'down'
  readonly settled: boolean
}

/** Why a process ended; both null: nobody saw it, because the agent was away. */
export interface UnitEnd {
  readonly code: number | null
  readonly signal: string | null
}

/** A unit that others have made. */
export interface ForeignUnit {
  /** Such as `hello.service`. */
  readonly name: string
  readonly description: string
  readonly state: string
  readonly type: string
  readonly user: string
  readonly hasDynamicUser: boolean
  readonly directory: string
  /** Its program and arguments, as well as they can be told apart. */
  readonly start: readonly string[]
  readonly pid: number | null
  /** The project that it is of already. */
  readonly adoptedBy: string | null
}

export interface ForeignUnits {
  list(): Promise<ForeignUnit[]>
  /** From now on it is the unit of this process (`project.adopted` says which), as it runs. */
  take(project: PlacedProject, process: ProjectProcess): Promise<void>
}

export interface UnitEngine {
  readonly name: string
  readonly flags: {
    /** Units come back with the machine, before or without the agent. */
    readonly survives_restart: boolean
    /** Units are started again also while the agent is away, then even before `settle`; the next agent stops those. */
    readonly supervises_alone: boolean
  }

  /** First of all: reads what is on disk and what is really there. Units are found again, or have ended meanwhile. */
  recover(): Promise<void>

  /**
   * Stops what runs of this unit and starts the program; a timer is only made ready. Resolves when it is started;
   * rejects with `restart_failed` if it cannot be, or with the signal's reason. It is not started again on its own until
   * `settle`. An attempt gets one process: the same again does nothing, even if that has ended.
   */
  restart(start: UnitStart, options: { stopLimitMs: number; signal: AbortSignal }): Promise<void>

  /** The new one has proven itself: from now on it is started again when it ends. A timer runs from now on. */
  settle(project: string, process: string): void

  /** Units that others have made, and how they are taken over; only where there are any. */
  readonly foreign?: ForeignUnits

  /** Stays down, also when the agent or the machine starts again. Nothing to stop is no error. */
  stop(project: string, process: string, options: { limitMs: number }): Promise<void>

  /** Starts again what was stopped, as it was last started. What runs goes on. */
  start(project: string, process: string): Promise<void>

  /** Stops and forgets one unit, or all of the project. One that was adopted is only forgotten, and goes on. */
  remove(project: string, process?: string): Promise<void>

  list(project?: string): readonly KnownUnit[]

  /** Resolves when the process that runs now ends, at once if none runs. Rejects with the signal's reason. */
  ended(project: string, process: string, signal: AbortSignal): Promise<UnitEnd>

  /** The last lines, or up to so many from a place that an earlier answer gave as `next`. */
  log(project: string, process: string, from: number | null, lines: number): Promise<UnitLog>

  /** Calls back after a unit of the project has changed; returns how to stop that. */
  onChange(listener: (project: string) => void): () => void

  /** The agent stops: nothing is started any more. What runs lives on. */
  close(): void
}
