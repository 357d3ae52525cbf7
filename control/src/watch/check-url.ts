/** What the answer of a watched address says, by what is expected of it; and where a redirect may be followed to. */
import { isExpectedStatus, type UrlExpectation } from '@quarterdeck/contract'
import type { Answer } from './answer-reader.ts'
import type { Checked } from './checks.ts'
import { assertionProblem, readJson } from './json-assertions.ts'
import type { Seen } from './probe-connection.ts'
import type { Reason } from './verdict.ts'

const dayMs = 86_400_000
/** So many in a row lead nowhere. */
export const mostRedirects = 3

export interface CheckedUrl extends Checked {
  /** It is well, but not for long: degraded. */
  readonly warning: Reason | null
}

export interface UrlSeen {
  readonly seen: Seen
  /** Undefined: there is no certificate. */
  readonly certificateEnds: Date | undefined
}

export function checkUrl(expect: UrlExpectation, { seen, certificateEnds }: UrlSeen, now: Date): CheckedUrl {
  const warning = certificateWarning(expect, certificateEnds, now)
  if (!('answer' in seen))
    return { ok: false, httpStatus: null, latencyMs: null, reason: seen.failure, warning }
  const { answer, latencyMs } = seen
  const reason = reasonOf(expect, answer)
  return { ok: reason === null, httpStatus: answer.status, latencyMs, reason, warning }
}

function reasonOf({ status, json }: UrlExpectation, answer: Answer): Reason | null {
  if (!isExpectedStatus(status, answer.status))
    return { code: 'http', message: `It answers ${answer.status}, not ${status}.` }
  if (json.length === 0) return null
  if (answer.isCoded) return body('answers compressed, though nobody asked for it')
  const read = readJson(answer.type, answer.body)
  if ('problem' in read) return body(read.problem)
  for (const assertion of json) {
    const problem = assertionProblem(read.value, assertion)
    if (problem !== null) return { code: 'body', message: `In its answer ${problem}.` }
  }
  return null
}

const body = (problem: string): Reason => ({ code: 'body', message: `It ${problem}.` })

/** One that has ended is no warning: the connection itself is refused then. */
export function certificateWarning(
  { certificate_days }: Pick<UrlExpectation, 'certificate_days'>,
  ends: Date | undefined,
  now: Date,
): Reason | null {
  if (!ends) return null
  const days = Math.floor((ends.getTime() - now.getTime()) / dayMs)
  if (Number.isNaN(days) || days >= certificate_days) return null
  const left =
    days < 0 ? 'has ended' : days === 0 ? 'ends within a day' : `ends in ${days} day${days === 1 ? '' : 's'}`
  return { code: 'tls', message: `Its certificate ${left}.` }
}

export type NextStep = { readonly follow: URL } | { readonly reason: Reason }

/** Undefined: it is no redirect, or one that is expected, and the answer is what counts. */
export function redirectOf({ status }: UrlExpectation, url: URL, answer: Answer): NextStep | undefined {
  if (![301, 302, 303, 307, 308].includes(answer.status) || isExpectedStatus(status, answer.status))
    return undefined
  return nextStep(url, answer)
}

/**
 * Where a redirect leads, if it stays with the same host: what is sent along is for that one alone. From http to https is the same
 * host, and never the other way.
 */
export function nextStep(url: URL, { status, location }: Pick<Answer, 'status' | 'location'>): NextStep {
  const elsewhere = (how: string): NextStep => ({
    reason: { code: 'http', message: `It leads ${how} (${status}).` },
  })
  if (!location || !URL.canParse(location, url.href)) return elsewhere('nowhere')
  const target = new URL(location, url)
  target.hash = ''
  if (target.protocol !== 'https:' && target.protocol !== 'http:')
    return elsewhere('to what is no web address')
  if (target.username || target.password) return elsewhere('to an address with a password')
  if (target.hostname !== url.hostname) return elsewhere('to another host')
  if (target.protocol === 'http:' && url.protocol === 'https:') return elsewhere('from https to http')
  const isUpwards = target.protocol !== url.protocol
  if (target.port !== url.port && !(isUpwards && target.port === '')) return elsewhere('to another port')
  return { follow: target }
}
