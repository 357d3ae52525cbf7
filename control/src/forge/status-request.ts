/** A status in the words of each forge, sent once, and what its answer means. */
import type { StatusAccess } from './forges.ts'

const answerMs = 10_000
/** Longer than this nobody waits for a forge. */
const longestWaitMs = 3_600_000
/** GitHub takes no more. */
const longestDescription = 140

export interface Status {
  readonly project: string
  readonly sha: string
  readonly state: string
  readonly description: string
  /** The run's page. */
  readonly url: string
}

/** `problem` is one sentence for operators. */
export type Verdict =
  | { readonly what: 'sent' }
  | { readonly what: 'again'; readonly problem: string; readonly afterMs: number }
  | { readonly what: 'never'; readonly problem: string }

export async function sendStatus(access: StatusAccess, status: Status, ended: AbortSignal): Promise<Verdict> {
  const place = placeOf(access, status.sha)
  try {
    const response = await fetch(place, {
      method: 'POST',
      headers: headersOf(access),
      body: JSON.stringify({
        state: status.state,
        target_url: status.url,
        description: status.description.slice(0, longestDescription),
        context: `quarterdeck/${status.project}`,
      }),
      // The token is for this address, and no other.
      redirect: 'manual',
      signal: AbortSignal.any([ended, AbortSignal.timeout(answerMs)]),
    })
    await response.body?.cancel()
    return verdictOf(response, new URL(place).host)
  } catch (error) {
    const { name, message, cause } = error as Error
    const why =
      name === 'TimeoutError' ? 'no answer in time' : ((cause as Error | undefined)?.message ?? message)
    return again(`${new URL(place).host} cannot be reached: ${why}.`)
  }
}

/** https://docs.github.com/rest/commits/statuses and https://docs.gitea.com/api, which is made after it. */
function placeOf({ kind, apiUrl, repository }: StatusAccess, sha: string): string {
  const base = apiUrl.replace(/\/+$/, '')
  const root = kind === 'gitea' && !base.endsWith('/api/v1') ? `${base}/api/v1` : base
  return `${root}/repos/${repository}/statuses/${sha}`
}

const headersOf = ({ kind, token }: StatusAccess): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'quarterdeck',
  ...(kind === 'github'
    ? {
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
        authorization: `Bearer ${token}`,
      }
    : { accept: 'application/json', authorization: `token ${token}` }),
})

const reasons: Record<number, string> = {
  401: 'the token is wrong or has expired',
  403: 'the token may not write statuses there',
  404: 'there is no such repository, or the token may not see it',
  422: 'it does not know the commit, or takes no more statuses for it',
}

function verdictOf({ status, headers }: globalThis.Response, host: string): Verdict {
  if (status >= 200 && status < 300) return { what: 'sent' }
  const afterMs = askedToWaitMs(headers)
  const reason =
    reasons[status] ?? (status < 400 ? 'the repository or its API has moved' : 'it gave no reason')
  const problem = `${host} answered ${status}: ${afterMs > 0 ? 'too many calls' : reason}.`
  // GitHub also says 403 to those who ask too often, with the time to wait.
  const isPassing = status >= 500 || status === 429 || status === 408 || (status === 403 && afterMs > 0)
  return isPassing ? again(problem, afterMs) : { what: 'never', problem }
}

const again = (problem: string, afterMs = 0): Verdict => ({ what: 'again', problem, afterMs })

/** `Retry-After` in seconds or as a date, or GitHub's own words for an allowance that is used up. */
function askedToWaitMs(headers: Headers): number {
  const after = headers.get('retry-after')
  const reset = headers.get('x-ratelimit-remaining') === '0' ? headers.get('x-ratelimit-reset') : null
  const untilMs = after !== null && !/^\d+$/.test(after) ? Date.parse(after) : Number(reset ?? 0) * 1000
  const waitMs = after !== null && /^\d+$/.test(after) ? Number(after) * 1000 : untilMs - Date.now()
  return Math.min(Math.max(waitMs || 0, 0), longestWaitMs)
}
