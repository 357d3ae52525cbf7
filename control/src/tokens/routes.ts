import { operations } from '@quarterdeck/contract'
import { cursorOf, type Route, read, write } from '#http'
import { type Tokens, tokenCursor } from './tokens.ts'

export const tokenRoutes = (tokens: Tokens): Route[] => [
  read(operations.listTokens, (call, transaction) =>
    tokens.list(transaction, { kind: 'operator' }, cursorOf(call.query, tokenCursor)),
  ),
  write(operations.createToken, (call, transaction) =>
    tokens.create(transaction, call.origin, 'operator', call.body),
  ),
  write(operations.revokeToken, (call, transaction) =>
    tokens.revoke(transaction, call.origin, call.params.id),
  ),
  write(operations.rotateToken, (call, transaction) =>
    tokens.rotate(transaction, call.origin, call.params.id, call.body),
  ),
]
