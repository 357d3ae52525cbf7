/** An installation as data: what is to be done, whether it is done already, and how it is undone. */
import { Fault } from '@quarterdeck/contract'

export interface Act {
  /** Such as `make the user quarterdeck`. */
  readonly what: string
  isDone(): boolean
  do(): void | Promise<void>
}

export interface Step extends Act {
  /** None: undone along with another. */
  readonly undo?: Act
}

/** `there`: it was done before. */
export type State = 'there' | 'done' | 'to do'

export interface Outcome {
  what: string
  state: State
}

export interface CarryOutOptions {
  dryRun: boolean
  /** Told as it happens. */
  onOutcome(outcome: Outcome): void
}

/** In their order. What fails stops it; run again, it goes on from there. */
export async function carryOut(
  acts: readonly Act[],
  { dryRun, onOutcome }: CarryOutOptions,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const act of acts) {
    const outcome = { what: act.what, state: await stateAfter(act, dryRun) }
    onOutcome(outcome)
    outcomes.push(outcome)
  }
  return outcomes
}

/** What undoes these, last first. */
export const undoing = (steps: readonly Step[]): Act[] => steps.toReversed().flatMap(({ undo }) => undo ?? [])

async function stateAfter(act: Act, dryRun: boolean): Promise<State> {
  if (act.isDone()) return 'there'
  if (dryRun) return 'to do'
  try {
    await act.do()
  } catch (error) {
    if (error instanceof Fault) throw error
    throw new Fault('not_installable', `Could not ${act.what}: ${(error as Error).message}.`, {
      cause: error,
    })
  }
  return 'done'
}
