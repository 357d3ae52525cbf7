/** How a run ended, in one sentence, and what to do next. */
import { type Run, type RunErrorCode, runErrors } from '@quarterdeck/contract'
import { shortId } from '../ids.ts'
import { plain } from '../plain.ts'
import { between } from '../when.ts'

export interface Ending {
  ok: boolean
  sentence: string
  remedy: string | null
}

/** As git and its forges shorten a commit; long enough to be sent as a ref. */
export const shortSha = (sha: string | null): string => sha?.slice(0, 7) ?? '–'

export const hasEnded = ({ status }: Run): boolean => status !== 'queued' && status !== 'running'

/** Of a run that has ended. */
export function ending(run: Run): Ending {
  const { project, status, sha, kind, superseded_by: by } = run
  const took = between(run.started_at, run.ended_at)
  const after = took ? ` after ${took}` : ''
  if (status === 'succeeded') {
    const how = kind === 'rollback' ? 'is back on' : 'now runs'
    return good(`${project} ${how} ${shortSha(sha)}, proven healthy${after}.`)
  }
  if (status === 'superseded') {
    const why = by ? `: run ${shortId(by)} took its place.` : nothingToDo(run)
    return good(`Run ${shortId(run.id)} of ${project} had nothing to do${why}`)
  }
  if (status === 'cancelled') {
    return bad(`The ${kind} of ${project} was cancelled${after}. ${aftermath(run)}`, null)
  }
  return bad(`The ${kind} of ${project} failed${inStep(run)}${reason(run)} ${aftermath(run)}`, remedy(run))
}

const good = (sentence: string): Ending => ({ ok: true, sentence, remedy: null })
const bad = (sentence: string, remedy: string | null): Ending => ({ ok: false, sentence, remedy })

/** The machine that decided so said why. */
function nothingToDo({ steps }: Run): string {
  const detail = steps.find(({ name }) => name === 'fetch')?.detail
  return detail ? `. ${plain(detail)}` : ': what runs is newer.'
}

function inStep({ steps }: Run): string {
  const failed = steps.find(({ status }) => status === 'failed')
  return failed ? ` in ${failed.name}` : ''
}

const reason = ({ error }: Run) => (error ? `: ${plain(error.message).replace(/\.?$/, '.')}` : '.')

/** What the failure means for those who use the service. */
export function aftermath({ restored_sha, steps }: Run): string {
  if (restored_sha) return `${shortSha(restored_sha)} runs again.`
  const touched = steps.some(({ name, started_at }) => name === 'restart' && started_at !== null)
  return touched ? 'Nothing was put back: see what runs.' : 'The service was not touched.'
}

function remedy({ project, error, id }: Run): string {
  const code = error?.code ?? 'internal'
  const known = Object.hasOwn(runErrors, code) ? runErrors[code as RunErrorCode].remedy : ''
  return `${known.replaceAll('PROJECT', project)} The log: \`qd logs ${shortId(id)}\`.`.trim()
}
