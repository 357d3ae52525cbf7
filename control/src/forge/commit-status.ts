/** A run as the status of its commits. What it says may be read by everybody who sees the repository: no message of a run. */
import type { RunError } from '@quarterdeck/contract'
import type { RunRow } from '#deploy'

export type State = 'pending' | 'success' | 'failure' | 'error'

export interface CommitStatus {
  readonly state: State
  /** One sentence, as short as GitHub takes it. */
  readonly description: string
}

/** `standing` is the run that took the place of `row`, or `row` itself. */
export function statusOf(row: RunRow, standing: RunRow): CommitStatus {
  if (standing.id === row.id) return statusOfRun(row)
  const { state, description } = statusOfRun(standing)
  return { state, description: `With a newer push: ${description}` }
}

function statusOfRun(row: RunRow): CommitStatus {
  const { status, kind, superseded_by } = row
  if (status === 'queued') return { state: 'pending', description: 'Waits for its turn.' }
  if (status === 'running') return { state: 'pending', description: 'Is being deployed.' }
  if (status === 'succeeded') {
    const how = kind === 'rollback' ? 'Rolled back to' : 'Deployed'
    return { state: 'success', description: `${how} ${short(row.sha)}, proven healthy.` }
  }
  if (status === 'superseded') {
    const why = superseded_by === null ? 'nothing relevant has changed' : 'what runs already has it'
    return { state: 'success', description: `Nothing to deploy: ${why}.` }
  }
  if (status === 'cancelled') return { state: 'error', description: `Cancelled. ${aftermath(row)}` }
  return { state: 'failure', description: `Failed: ${codeOf(row)}. ${aftermath(row)}` }
}

const codeOf = ({ error }: RunRow) => (error === null ? 'internal' : (JSON.parse(error) as RunError).code)

const aftermath = ({ restored_sha }: RunRow) =>
  restored_sha === null ? 'The log says more.' : `${short(restored_sha)} runs again.`

const short = (sha: string | null) => sha?.slice(0, 7) ?? 'the newest commit'

/** Which commits it is the status of: what was asked for, and what was put in place for it. */
export function commitsOf({ status, ref, ref_sha, sha }: RunRow): string[] {
  const placed = status === 'superseded' ? null : sha
  const commits = [ref_sha ?? ref, placed].filter(commit => commit !== null)
  return [...new Set(commits)].filter(commit => commit.length === 40 || commit.length === 64)
}
