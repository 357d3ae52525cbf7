/** What the answers of a service say: alive, ready, which build. Anything that is not what the specification says is a failure. */

import type { Answer } from './answer-reader.ts'
import type { Seen } from './probe-connection.ts'
import type { Reason } from './verdict.ts'

export interface Checked {
  readonly ok: boolean
  /** Null when no answer came. */
  readonly httpStatus: number | null
  readonly latencyMs: number | null
  /** Why it is not well; null: it is. */
  readonly reason: Reason | null
}

export interface CheckedVersion extends Checked {
  readonly version: { readonly name: string; readonly sha: string } | null
}

/** Longer than any name or commit is. */
const longestText = 200
/** Health and version are a line: reading more would hold everything else up. */
const longestObject = 64 * 1024

/** `/healthz` or `/readyz`: 200 with `{"ok":true}`, and nothing else. */
export function checkHealth(path: string, seen: Seen): Checked {
  return checked(path, seen, ({ status, body }) => {
    if (status !== 200) return { code: 'http', message: `${path} answers ${status}.` }
    const { ok } = objectIn(body)
    if (ok === true) return null
    return odd(path, ok === false ? 'says {"ok":false}' : 'does not tell {"ok":true}')
  })
}

/** What should run there; null: nobody knows. */
export interface Build {
  /** What it may call itself: a repository that is deployed twice has one name in its code. */
  readonly names: readonly string[] | null
  readonly sha: string | null
}

export function checkVersion(path: string, seen: Seen, expected: Build): CheckedVersion {
  const version = 'answer' in seen && seen.answer.status === 200 ? versionIn(seen.answer.body) : null
  const result = checked(path, seen, ({ status }) => {
    if (status !== 200) return { code: 'http', message: `${path} answers ${status}.` }
    if (!version) return odd(path, 'does not tell name and sha')
    return otherBuild(version, expected)
  })
  return { ...result, version }
}

/** What many services answer whatever they are asked for. */
const otherTypes = new Set(['text/html', 'application/json', 'application/problem+json'])

/** Where there are none, that is no failure: the metrics of a service are optional. */
export function checkMetrics(path: string, seen: Seen): Checked | null {
  if ('answer' in seen) {
    const { status, type } = seen.answer
    if ([404, 405, 501].includes(status) || (status === 200 && otherTypes.has(type))) return null
  }
  return checked(path, seen, ({ status }) =>
    status === 200 ? null : { code: 'http', message: `${path} answers ${status}.` },
  )
}

/** Who runs the commit that was deployed is the right one, whatever it calls itself. */
function otherBuild({ name, sha }: { name: string; sha: string }, expected: Build): Reason | null {
  if (sha === expected.sha) return null
  const [first] = expected.names ?? []
  if (first !== undefined && !expected.names!.includes(name))
    return { code: 'version', message: `${name} answers in place of ${first}.` }
  if (expected.sha === null) return null
  return { code: 'version', message: `${shortened(sha)} runs, ${shortened(expected.sha)} was deployed.` }
}

function checked(path: string, seen: Seen, judge: (answer: Answer) => Reason | null): Checked {
  if (!('answer' in seen)) return { ok: false, httpStatus: null, latencyMs: null, reason: seen.failure }
  const { answer, latencyMs } = seen
  const reason = oddIn(path, answer) ?? judge(answer)
  return { ok: reason === null, httpStatus: answer.status, latencyMs, reason }
}

/** Where it leads is another's: a redirect is no answer of this service. */
function oddIn(path: string, { status, isCoded }: Answer): Reason | null {
  if (isCoded) return odd(path, 'is compressed, though nobody asked for it')
  return status >= 300 && status < 400
    ? { code: 'http', message: `${path} leads elsewhere (${status}).` }
    : null
}

const odd = (path: string, how: string): Reason => ({ code: 'body', message: `${path} ${how}.` })

function versionIn(body: Buffer): { name: string; sha: string } | null {
  const { name, sha } = objectIn(body)
  return isText(name) && isText(sha) ? { name, sha } : null
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= longestText && !/\p{Cc}/u.test(value)

/** Nothing is an object too, without anything in it. */
function objectIn(body: Buffer): Record<string, unknown> {
  if (body.length > longestObject) return {}
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}

const shortened = (sha: string) => (/^[0-9a-f]{40,64}$/.test(sha) ? sha.slice(0, 12) : sha)
