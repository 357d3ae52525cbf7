export { ensureOperatorToken } from './operator-token.ts'
export { tokenRoutes } from './routes.ts'
export { operatorTokenFile, readToken } from './token-file.ts'
export { hashOf, type TokenFound, Tokens, tokenCursor } from './tokens.ts'
