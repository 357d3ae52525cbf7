/** PostgreSQL's and the connection's errors as entries of the catalogue. https://www.postgresql.org/docs/current/errcodes-appendix.html */
import { type ErrorCode, Fault } from '@quarterdeck/contract'

/** By SQLSTATE, or by the first two characters of it, which are its class. */
const sqlStates: Record<string, [ErrorCode, string]> = {
  '08': ['store_unavailable', 'lost the connection'],
  '28': ['store_unavailable', 'refuses the user or the password'],
  '3D': ['store_unavailable', 'has no database of that name'],
  '53': ['store_unavailable', 'has no resources left'],
  '53100': ['store_full', 'has no space left on its disk'],
  '57': ['store_unavailable', 'is stopping, starting or took too long'],
  '25P03': ['store_unavailable', 'took too long'],
  '55P03': ['store_unavailable', 'is busy: another process has been writing for too long'],
  '42501': ['store_unavailable', 'does not let this user create or change tables'],
  XX001: ['store_corrupt', 'reports damaged data'],
  XX002: ['store_corrupt', 'reports a damaged index'],
}

const connectionErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

export function postgresFault(error: unknown, server: string): unknown {
  if (!(error instanceof Error)) return error
  const code = (error as NodeJS.ErrnoException).code
  const meaning = code ? (sqlStates[code] ?? sqlStates[code.slice(0, 2)]) : undefined
  if (meaning)
    return new Fault(meaning[0], `PostgreSQL at ${server} ${meaning[1]}.`, { cause: error, retryAfterS: 5 })
  if (!connectionErrors.has(code ?? '') && !/terminat|timeout|not queryable|ended/i.test(error.message))
    return error
  const why = code ?? error.message
  return new Fault('store_unavailable', `PostgreSQL at ${server} does not answer (${why}).`, {
    cause: error,
    retryAfterS: 5,
  })
}
