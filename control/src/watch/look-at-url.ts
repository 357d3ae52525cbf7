/** One look at a watched address, at once: for whoever has just named it, and wants to know what is seen there. */
import { Fault, type ServiceLook, type UrlExpectation } from '@quarterdeck/contract'
import { systemClock } from '@quarterdeck/kit'
import { type CheckedUrl, certificateWarning, checkUrl, mostRedirects, redirectOf } from './check-url.ts'
import { NoLook } from './failure.ts'
import { apiPaths, inOrder, lookAtApi } from './look.ts'
import { withoutMetadata } from './metadata-lookup.ts'
import { NameLookup } from './name-lookup.ts'
import { ProbeConnection, type Seen, type Server } from './probe-connection.ts'

const longestBody = 10 * 1024 * 1024
/** As the watch finds names, so that both see the same: the system knows nothing of `*.localhost`. */
const lookup = withoutMetadata(new NameLookup({ clock: systemClock }).lookup)

export interface WatchedTarget {
  readonly url: string
  readonly expect: UrlExpectation
  readonly timeout_s: number
  readonly is_kit: boolean
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>
}

export interface UrlLook extends CheckedUrl {
  readonly certificateEnds: Date | undefined
  readonly redirects: number
}

/** As it is told. */
export async function lookNow(target: WatchedTarget, now: Date): Promise<ServiceLook> {
  const look = await lookAtUrl(target, now).catch(error => {
    throw error instanceof NoLook ? new Fault('unavailable', error.message, { cause: error }) : error
  })
  return {
    ok: look.ok,
    http_status: look.httpStatus,
    latency_ms: look.latencyMs,
    reason: look.reason,
    warning: look.warning,
    certificate_ends: look.certificateEnds?.toISOString() ?? null,
    redirects: look.redirects,
  }
}

export async function lookAtUrl(target: WatchedTarget, now: Date): Promise<UrlLook> {
  return target.is_kit ? lookAtKit(target, now) : follow(target, new URL(target.url), now)
}

async function follow(target: WatchedTarget, url: URL, now: Date, redirects = 0): Promise<UrlLook> {
  const { seen, certificateEnds } = await ask(target, url, [pathOf(url)])
  const first = seen[0]!
  const checked = checkUrl(target.expect, { seen: first, certificateEnds }, now)
  const step = 'answer' in first ? redirectOf(target.expect, url, first.answer) : undefined
  if (step && 'follow' in step && redirects < mostRedirects)
    return follow(target, step.follow, now, redirects + 1)
  const tooMany = { code: 'http', message: `It leads on and on, more than ${mostRedirects} times.` } as const
  const reason = step ? ('reason' in step ? step.reason : tooMany) : checked.reason
  return { ...checked, reason, certificateEnds, redirects }
}

/** Which build runs there, nobody here knows: any will do. */
async function lookAtKit(target: WatchedTarget, now: Date): Promise<UrlLook> {
  const url = new URL(target.url)
  const paths = apiPaths(url.pathname.replace(/\/+$/, ''), null)
  const { seen, certificateEnds } = await ask(target, url, inOrder(paths))
  const at = Math.floor(now.getTime() / 1000)
  const { live, version, ready, cutOff } = lookAtApi(at, paths, seen, { names: null, sha: null })
  const first = [live, version, ready].find(each => each && !each.ok) ?? live
  const reason = first.reason ?? cutOff
  const warning = certificateWarning(target.expect, certificateEnds, now)
  return { ...first, ok: reason === null, reason, warning, certificateEnds, redirects: 0 }
}

async function ask(
  { timeout_s, headers }: WatchedTarget,
  url: URL,
  paths: readonly string[],
): Promise<{ seen: Seen[]; certificateEnds: Date | undefined }> {
  const server = { ...serverOf(url, headers), lookup }
  const connection = new ProbeConnection(server, { timeoutMs: timeout_s * 1000, longestBody })
  try {
    const seen = await connection.look(paths)
    const { certificateEnds } = connection
    // A certificate may say anything, also what is no time.
    const isTime = !Number.isNaN(certificateEnds?.getTime() ?? Number.NaN)
    return { seen, certificateEnds: isTime ? certificateEnds : undefined }
  } finally {
    connection.close()
  }
}

/** Whom to ask for an address. */
export function serverOf(url: URL, headers: Readonly<Record<string, string>> = {}): Server {
  const isTls = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return {
    host,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    isTls,
    authority: url.host,
    headers,
  }
}

export const pathOf = (url: URL): string => `${url.pathname}${url.search}`
