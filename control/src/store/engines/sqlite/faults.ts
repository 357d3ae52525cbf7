/** SQLite's result codes as entries of the catalogue. https://www.sqlite.org/rescode.html */
import { type ErrorCode, Fault } from '@quarterdeck/contract'

interface SqliteError extends Error {
  errcode: number
  errstr: string
}

/** By primary result code, the low byte of the extended one. */
const meanings: Record<number, [ErrorCode, string]> = {
  5: ['store_unavailable', 'is locked by another process'],
  6: ['store_unavailable', 'is locked by another process'],
  8: ['store_unavailable', 'cannot be written'],
  10: ['store_unavailable', 'cannot be read or written (input/output error)'],
  11: ['store_corrupt', 'is damaged'],
  13: ['store_full', 'cannot grow: no space is left on its disk'],
  14: ['store_unavailable', 'cannot be opened'],
  26: ['store_corrupt', 'is not a database'],
}

export function sqliteFault(error: unknown, file: string): unknown {
  if (!isSqliteError(error)) return error
  const meaning = meanings[error.errcode & 0xff]
  if (!meaning) return error
  const [code, what] = meaning
  return new Fault(code, `The database ${file} ${what}.`, { cause: error, retryAfterS: 5 })
}

const isSqliteError = (error: unknown): error is SqliteError =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ERR_SQLITE_ERROR'
