export { ensureOperatorToken, operatorTokenFile, readToken } from './operator-token.ts'
export { tokenRoutes } from './routes.ts'
export { hashOf, Tokens } from './tokens.ts'
