/** What /healthz, /readyz and /version have in common. */
import { breach, type Clause, type Finding, holds, notChecked } from '../clause.ts'
import type { Answer } from '../probe.ts'
import { quoted } from '../quoted.ts'

const volatileHeaders = new Set([
  'date',
  'age',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
])

/** `statuses` are those with which the endpoint says what it is for. */
export function jsonEndpoint(id: string, path: string, statuses: readonly number[]): Clause[] {
  const seen = (part: string, title: string, judge: (answer: Answer) => Finding): Clause => ({
    id: `${id}.${part}`,
    title,
    async check(probe) {
      const answer = await probe.first(path)
      return statuses.includes(answer.status) ? judge(answer) : unseen(answer)
    },
  })
  return [
    seen('type', `${path} is JSON by its Content-Type`, judgeType),
    seen('cache', `${path} is kept by no cache`, judgeCache),
    {
      id: `${id}.head`,
      title: `HEAD ${path} answers as GET, without the body`,
      async check(probe) {
        const get = await probe.first(path)
        return statuses.includes(get.status)
          ? judgeHead(get, await probe.ask(path, { method: 'HEAD' }))
          : unseen(get)
      },
    },
  ]
}

export const unseen = ({ path, status }: Answer): Finding => notChecked(`${path} answered ${status}`)

/** A status that the endpoint must not have. */
export function wrongStatus(answer: Answer, remedy: string): Finding {
  const { path, status, headers } = answer
  if (status >= 300 && status < 400) {
    return breach(
      `${path} redirects (${status}) to ${quoted(headers.location ?? '')}`,
      `Answer at ${path} itself, also without a trailing slash and without a session: probes follow no redirects.`,
    )
  }
  if (status === 401 || status === 403) {
    return breach(`${path} answered ${status}`, `Let ${path} through without credentials: probes have none.`)
  }
  return breach(`${path} answered ${status}`, remedy)
}

/** The document, or undefined where it is no JSON object. */
export function objectIn({ body }: Answer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function judgeType({ headers }: Answer): Finding {
  const type = headers['content-type']
  return /^application\/json[ \t]*(;|$)/i.test(type ?? '')
    ? holds(type!)
    : breach(type ? quoted(type) : 'no Content-Type', 'Send Content-Type: application/json; charset=utf-8.')
}

function judgeCache({ headers }: Answer): Finding {
  const value = headers['cache-control']
  const directives = (value ?? '').toLowerCase().split(',')
  return directives.some(directive => directive.trim() === 'no-store')
    ? holds(`Cache-Control: ${value}`)
    : breach(
        value ? `Cache-Control: ${quoted(value)}` : 'no Cache-Control',
        'Send Cache-Control: no-store, or a cache on the way answers for a service that is down.',
      )
}

function judgeHead(get: Answer, head: Answer): Finding {
  const remedy = 'Route HEAD to the handler of GET, and leave out the body alone.'
  if (head.status !== get.status) return breach(`GET gives ${get.status}, HEAD ${head.status}`, remedy)
  const missing = Object.keys(get.headers).filter(
    name => !volatileHeaders.has(name) && !(name in head.headers),
  )
  if (missing.length > 0) return breach(`HEAD lacks ${missing.join(', ')}`, remedy)
  const length = head.headers['content-length'] ?? String(get.body.length)
  const differs =
    length !== String(get.body.length)
      ? 'content-length'
      : ['content-type', 'cache-control'].find(name => head.headers[name] !== get.headers[name])
  if (differs) return breach(`HEAD has another ${differs} than GET`, remedy)
  if (head.body.length > 0) return breach('a body follows the headers of HEAD', remedy)
  return holds(`${head.status}, the same headers`)
}
