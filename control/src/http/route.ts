/** Routes as data: an operation of the contract and what answers it. Capabilities make them, hosts mount them. */
import type { Operation } from '@quarterdeck/contract'
import type { z } from 'zod'
import type { Transaction } from '#store'
import type { Identity, Origin } from './caller.ts'

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
}

/** Text as it is to be sent, piece by piece. */
export type Chunks = AsyncIterable<string>

export type Route = { readonly operation: Operation } & (
  | { readonly kind: 'answer'; run(call: Call): unknown }
  | { readonly kind: 'read' | 'write'; run(call: Call, transaction: Transaction): Promise<unknown> }
  | { readonly kind: 'stream'; run(call: Call, ended: AbortSignal): Promise<Chunks> }
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
export const write = <O extends Operation>(
  operation: O,
  run: (call: Call<O>, transaction: Transaction) => Promise<Answered<O> | undefined>,
): Route => ({ operation, kind: 'write', run: run as never })

/** Answers for as long as the reader stays. */
export const stream = <O extends Operation>(
  operation: O,
  run: (call: Call<O>, ended: AbortSignal) => Promise<Chunks>,
): Route => ({ operation, kind: 'stream', run: run as never })
