/** The admin API as the contract lists it: an operation, what it takes, and the document that it gives. */
import type { IncomingMessage } from 'node:http'
import type { Document, Operation } from '@quarterdeck/contract'
import { ask, type Question, send, textOf, unreachable } from './client.ts'
import { GuidedFault } from './fail.ts'
import { faultOf } from './problem-fault.ts'
import { type WhereOptions, where } from './where.ts'

const limitMs = 30_000

type Input<S> = S extends { _zod: { input: infer I } } ? I : never
type Output<S> = S extends { _zod: { output: infer O } } ? O : never

type Asked<O extends Operation> = (O extends { params: infer P } ? { params: Input<P> } : unknown) &
  (O extends { query: infer Q } ? { query?: Input<Q> } : unknown) &
  (O extends { body: Document<infer B> }
    ? O extends { bodyOptional: true }
      ? { body?: Input<B> }
      : { body: Input<B> }
    : unknown)

type Answered<O extends Operation> = O['answer'] extends { document: Document<infer S> } ? Output<S> : unknown

interface Loose {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}

export interface Api {
  /** `limitMs`: how long the answer may take. */
  call<O extends Operation>(
    operation: O,
    asked: Asked<O>,
    settings?: { limitMs?: number },
  ): Promise<Answered<O>>
  /** For what is not one JSON document: resolves when the answer begins. */
  open<O extends Operation>(
    operation: O,
    asked: Asked<O>,
    settings: Pick<Question, 'accept' | 'headers'> & { signal: AbortSignal },
  ): Promise<IncomingMessage>
}

export const api = (options: WhereOptions): Api => ({
  async call(operation, asked, settings = {}) {
    const { url, question } = prepare(options, operation, asked as Loose)
    const { status, body } = await ask(url, { ...question, limitMs, ...settings })
    if (status >= 400) throw faultOf(status, body, url)
    return understood(operation, body, url)
  },
  async open(operation, asked, settings) {
    const { url, question } = prepare(options, operation, asked as Loose)
    const response = await send(url, { ...question, ...settings }).catch(error => {
      throw unreachable(url, error)
    })
    const status = response.statusCode ?? 0
    if (status >= 400) throw faultOf(status, json(await textOf(response)), url)
    return response
  },
})

function prepare(options: WhereOptions, operation: Operation, { params = {}, query, body }: Loose) {
  const { origin, address, token } = where(options)
  const url = new URL(origin)
  url.pathname = pathOf(operation, params)
  for (const [key, value] of Object.entries(query ?? {})) {
    if (value !== undefined) url.searchParams.set(key, String(value))
  }
  const question: Question = { token, address, method: operation.method, body }
  return { url: url.href, question }
}

/** Checked first: a name such as `..` would lead to another path. */
function pathOf({ path, params: schema }: Operation, params: Record<string, unknown>): string {
  const checked = schema?.safeParse(params)
  if (checked?.error) {
    const { path: place, message } = checked.error.issues[0]!
    const value = JSON.stringify(params[String(place[0])] ?? '')
    throw new GuidedFault(
      'invalid_fields',
      `${value} cannot be: ${message}.`,
      '`qd project list` names the projects, `qd runs` the runs, `qd watch list --all` the services.',
    )
  }
  return path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(params[key])))
}

/** What is not the document that was asked for was said by something else, or by a version far away from this one. */
function understood<O extends Operation>(operation: O, body: unknown, url: string): Answered<O> {
  const schema = operation.answer.document?.schema
  if (!schema) return body as Answered<O>
  const { success, data, error } = schema.safeParse(body)
  if (success) return data as Answered<O>
  const { path, message } = error.issues[0]!
  throw new GuidedFault(
    'control_unreachable',
    `${new URL(url).origin} answered what this qd does not understand (${path.join('.')}: ${message}).`,
    'See with `qd version` that this qd and the environment are of one version, and that the address is right.',
  )
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
