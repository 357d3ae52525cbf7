import { operations } from '@quarterdeck/contract'
import { type Route, raw, read, write } from '#http'
import { badSignature, type HookOptions, receiveHook } from './hook.ts'
import { signatureIn } from './signature.ts'

export function forgeRoutes(options: HookOptions): Route[] {
  const { forges, guesses } = options
  return [
    raw(operations.receiveHook, call => receiveHook(options, call), {
      before: ({ caller: { address }, headers }) => {
        guesses.refuseGuessing(address)
        if (signatureIn(headers) === undefined) throw badSignature(guesses, address)
      },
      unread: address => guesses.countGuess(address),
    }),
    read(operations.readForge, (call, transaction) => forges.read(transaction, call.params.name)),
    write(operations.createHook, (call, transaction) =>
      forges.createHook(transaction, call.origin, call.params.name, call.body),
    ),
    write(operations.removeHook, (call, transaction) =>
      forges.removeHook(transaction, call.origin, call.params.name),
    ),
    write(operations.setStatuses, (call, transaction) =>
      forges.setStatuses(transaction, call.origin, call.params.name, call.body),
    ),
    write(operations.removeStatuses, (call, transaction) =>
      forges.removeStatuses(transaction, call.origin, call.params.name),
    ),
  ]
}
