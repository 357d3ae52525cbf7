/** What was done, line by line, and what there is in the end. */
import { colours } from '../colours.ts'
import type { Outcome, State } from './step.ts'

const notes: Record<State, string> = { there: ' (nothing to do)', done: '', 'to do': ' (would be done)' }

export function outcomeLine({ what, state }: Outcome): string {
  const { dim, green, yellow } = colours(process.stdout)
  const sign = state === 'to do' ? yellow('→') : state === 'done' ? green('✓') : dim('·')
  return `${sign} ${what}${dim(notes[state])}\n`
}

export const changesOf = (outcomes: readonly Outcome[]): number =>
  outcomes.filter(({ state }) => state !== 'there').length

export function summary(outcomes: readonly Outcome[], { dryRun }: { dryRun: boolean }): string {
  const count = changesOf(outcomes)
  if (count === 0) return 'Nothing was to be done.'
  const steps = `${count} of ${outcomes.length} steps`
  return dryRun ? `${steps} would be done; nothing was changed.` : `${steps} were done.`
}

export function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length))
  return rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}\n`).join('')
}
