import { operations } from '@quarterdeck/contract'
import { cursorOf, type Route, read, write } from '#http'
import type { Tokens } from './tokens.ts'

export const tokenRoutes = (tokens: Tokens): Route[] => [
  read(operations.listTokens, (call, transaction) =>
    tokens.list(transaction, 'operator', cursorOf(call.query, /^[0-9a-f-]{36}$/)),
  ),
  write(operations.createToken, (call, transaction) =>
    tokens.create(transaction, call.origin, 'operator', call.body),
  ),
  write(operations.revokeToken, (call, transaction) =>
    tokens.revoke(transaction, call.origin, call.params.id),
  ),
]
