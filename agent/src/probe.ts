/** One look at a service: what its health, readiness and version endpoints say. */
import { request } from 'node:http'
import { connect } from 'node:net'

const answerMs = 5000
const maxBytes = 64 * 1024

export interface Seen {
  readonly kind: 'good' | 'refused' | 'silent' | 'unhealthy' | 'unready' | 'version'
  /** In a phrase, for people. */
  readonly what: string
}

interface Reply {
  status: number
  body: unknown
}

/** Waits no longer than `withinMs`, or 5 s. Rejects only with the signal's reason. */
export async function look(
  base: string,
  sha: string,
  signal: AbortSignal,
  withinMs = answerMs,
): Promise<Seen> {
  const limitMs = Math.min(answerMs, withinMs)
  try {
    const [health, readiness, version] = await Promise.all(
      ['/healthz', '/readyz', '/version'].map(path => get(`${base}${path}`, signal, limitMs)),
    )
    if (!isOk(health!)) return { kind: 'unhealthy', what: `/healthz ${told(health!)}` }
    if (!isOk(readiness!)) return { kind: 'unready', what: `/readyz ${told(readiness!)}` }
    const found = (version!.body as { sha?: unknown } | null)?.sha
    if (version!.status === 200 && found === sha) return { kind: 'good', what: 'good' }
    return { kind: 'version', what: typeof found === 'string' ? shown(found) : `nothing (${told(version!)})` }
  } catch (error) {
    signal.throwIfAborted()
    const { code, message } = error as NodeJS.ErrnoException
    return { kind: code === 'ECONNREFUSED' ? 'refused' : 'silent', what: code ?? message }
  }
}

/** Whether anybody takes a connection there. */
export async function answersOn(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ host, port, timeout: answerMs })
  socket.once('connect', () => resolve(true))
  socket.once('timeout', () => resolve(false))
  socket.once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

async function get(url: string, signal: AbortSignal, limitMs: number): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
  const call = request(url, { agent: false, signal: limit, headers: { accept: 'application/json' } })
  call.once('error', error =>
    reject(limit.aborted && !signal.aborted ? new Error(`no answer in ${limitMs / 1000} s`) : error),
  )
  call.once('response', response => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', chunk => {
      text += chunk
      if (text.length > maxBytes) call.destroy(new Error('an answer without end'))
    })
    response.once('error', reject)
    response.once('end', () => resolve({ status: response.statusCode ?? 0, body: parsed(text) }))
  })
  call.end()
  return promise
}

const isOk = ({ status, body }: Reply) => status === 200 && (body as { ok?: unknown } | null)?.ok === true

const told = ({ status, body }: Reply) =>
  body === undefined ? `answered ${status} without JSON` : `answered ${status} ${shown(JSON.stringify(body))}`

/** From a service, so it may be anything. */
const shown = (text: string) => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '�').slice(0, 80)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
