/** Routes as data: an operation of the contract and what answers it. Capabilities make them, hosts mount them. */

import type { IncomingHttpHeaders } from 'node:http'
import type { Operation } from '@quarterdeck/contract'
import type { z } from 'zod'
import type { Transaction } from '#store'
import type { Caller, Identity, Origin } from './caller.ts'
import type { Published } from './published.ts'

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined
type ParsedBody<O extends Operation> = O['body'] extends { schema: infer S } ? Parsed<S> : undefined
type Answered<O extends Operation> = O['answer'] extends { document: { schema: infer S } }
  ? S extends z.ZodType
    ? z.input<S>
    : never
  : unknown

/** A request that was checked against its operation, and who made it. */
export interface Call<O extends Operation = Operation> {
  readonly params: Parsed<O['params']>
  readonly query: Parsed<O['query']>
  readonly headers: Parsed<O['headers']>
  readonly body: ParsedBody<O>
  readonly identity: Identity
  readonly origin: Origin
  readonly idempotencyKey: string | undefined
}

/** A request as it came: what proves who it is from is in its bytes. */
export interface RawCall {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The address that it came from. */
  readonly from: string
  readonly requestId: string
}

/** What is asked for where people and programs read: no identity, no body. */
export interface Asked {
  /** As it came, without the query. */
  readonly path: string
  readonly query: URLSearchParams
}

/** Where what is asked for is now. */
export interface Elsewhere {
  readonly location: string
  /** It may be elsewhere again tomorrow. */
  readonly temporary?: true
}

/** Text as it is to be sent, piece by piece. */
export type Chunks = AsyncIterable<string>

/** An answer for as long as the reader stays. */
export interface Streamed {
  readonly type: 'text/event-stream' | 'text/plain'
  readonly chunks: Chunks
}

/** An answer that says more than what is usual for its operation. */
export interface Response {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, or as it is where the headers name a type. */
  readonly value: unknown
}

/** Gives the signal that nobody waits for the answer any more: for those who let somebody wait, and made only for them. */
export type End = () => AbortSignal

/** What a write does outside of its transaction, because it waits for more than the database. */
export interface Around<O extends Operation, Prepared> {
  /** Gives the third argument of `run`. A repetition, known by its `Idempotency-Key`, is answered without it. */
  prepare?(call: Call<O>): Promise<Prepared>
  /** After the commit, which stands whatever happens here: what fails is logged. The answer, which is given, waits for it. */
  afterwards?(call: Call<O>, answer: Answered<O>): Promise<void>
}

/** A request of which nothing but the head is there. */
export interface Arriving {
  readonly identity: Identity
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
}

/** Refuses, by throwing, before the body is read. */
export interface Guard {
  /** Before the table is asked. */
  before(arriving: Arriving): void
  /** After it. */
  after?(arriving: Arriving): Promise<void>
  /** Hears, where the body stays as it came, that it did not come whole, and whose it was. */
  unread?(address: string): void
}

export type Route = {
  readonly operation: Operation
  readonly guard?: Guard
} & (
  | { readonly kind: 'answer'; run(call: Call): unknown }
  | { readonly kind: 'read'; run(call: Call, transaction: Transaction): Promise<unknown> }
  | ({
      readonly kind: 'write'
      run(call: Call, transaction: Transaction, prepared: unknown): Promise<unknown>
    } & Around<Operation, unknown>)
  | { readonly kind: 'respond'; run(call: Call, end: End): Promise<Response> }
  | { readonly kind: 'raw'; run(call: RawCall): Promise<Response> }
  | { readonly kind: 'serve'; run(asked: Asked): Promise<Published | Elsewhere | undefined> }
  | { readonly kind: 'stream'; run(call: Call, ended: AbortSignal): Promise<Streamed> }
)

/** Answers without the store. */
export const answer = <O extends Operation>(
  operation: O,
  run: (call: Call<O>) => Answered<O> | Promise<Answered<O>>,
): Route => ({ operation, kind: 'answer', run: run as never })

/** Answers from one moment of the store. */
export const read = <O extends Operation>(
  operation: O,
  run: (call: Call<O>, transaction: Transaction) => Promise<Answered<O>>,
): Route => ({ operation, kind: 'read', run: run as never })

/** Changes the store, all or nothing; takes `Idempotency-Key`. */
export const write = <O extends Operation, Prepared = undefined>(
  operation: O,
  run: (call: Call<O>, transaction: Transaction, prepared: Prepared) => Promise<Answered<O> | undefined>,
  around: Around<O, Prepared> = {},
): Route => ({ operation, kind: 'write', run: run as never, ...(around as object) })

/** Answers in its own time and way; sees to the store and to `Idempotency-Key` itself. */
export const respond = <O extends Operation>(
  operation: O,
  run: (call: Call<O>, end: End) => Promise<Response>,
  guard?: Guard,
): Route => ({ operation, kind: 'respond', run: run as never, ...(guard && { guard }) })

/** Answers what nobody has looked at: neither path, headers nor body were checked. */
export const raw = (
  operation: Operation,
  run: (call: RawCall) => Promise<Response>,
  guard?: Guard,
): Route => ({ operation, kind: 'raw', run, ...(guard && { guard }) })

/** Answers with what is ready-made; undefined: there is nothing at this path. */
export const serve = (
  path: `/${string}`,
  summary: string,
  run: (asked: Asked) => Promise<Published | Elsewhere | undefined>,
): Route => ({ operation: { method: 'GET', path, summary, answer: { status: 200 } }, kind: 'serve', run })

/** Answers for as long as the reader stays. */
export const stream = <O extends Operation>(
  operation: O,
  run: (call: Call<O>, ended: AbortSignal) => Promise<Streamed>,
): Route => ({ operation, kind: 'stream', run: run as never })
