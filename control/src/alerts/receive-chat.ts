/** Updates that Telegram sends to us: proven by the secret that it was given when the webhook was set. */
import { timingSafeEqual } from 'node:crypto'
import { Fault } from '@quarterdeck/contract'
import { type Arriving, checked, type RawCall, type Response } from '#http'
import type { ChatListener } from './chat/listener.ts'
import { chatUpdate } from './chat/update.ts'

/** Who guesses secrets is told to wait. */
export interface Guesses {
  refuseGuessing(address: string): void
  countGuess(address: string): void
}

export interface ReceiveOptions {
  chats: ChatListener
  guesses: Guesses
  webhookSecret(channelId: string): string
}

/** It is in the headers: without it the body is not even read. */
export function proveSecret(
  { guesses, webhookSecret }: ReceiveOptions,
  { caller: { address }, params: { id = '' }, headers }: Arriving,
): void {
  guesses.refuseGuessing(address)
  const sent = Buffer.from(String(headers['x-telegram-bot-api-secret-token'] ?? ''))
  const right = Buffer.from(webhookSecret(id))
  if (sent.length === right.length && timingSafeEqual(sent, right)) return
  guesses.countGuess(address)
  throw new Fault('bad_signature', 'The secret of the webhook is not right, or there is no such channel.')
}

/** Of a call whose secret was right. */
export async function receiveChat({ chats }: ReceiveOptions, call: RawCall): Promise<Response> {
  const { id = '' } = call.params
  await chats.receive(id, checked(chatUpdate, jsonIn(call.body)))
  return { status: 200, value: {} }
}

function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch (error) {
    throw new Fault('invalid_json', 'The body is not valid JSON.', { cause: error })
  }
}
