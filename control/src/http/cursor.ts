/** Lists in pages. A cursor is opaque to the caller: the key of the last item of the page before. */
import { Fault } from '@quarterdeck/contract'

export interface Cursor {
  readonly limit: number
  readonly after: string | undefined
}

export interface Paged<T> {
  items: T[]
  next_cursor: string | null
}

/** `key` is what a cursor of this list can hold; anything else was not made by us. */
export function cursorOf(
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  key: RegExp,
): Cursor {
  if (cursor === undefined) return { limit, after: undefined }
  const after = Buffer.from(cursor, 'base64url').toString()
  if (!key.test(after)) {
    throw new Fault('invalid_fields', 'The cursor is not one of this list.', {
      fields: [{ field: 'cursor', message: 'must be the next_cursor of a page before' }],
    })
  }
  return { limit, after }
}

/** `rows` holds one more than `limit` when there is another page. */
export function pageOf<Row, T>(
  rows: Row[],
  limit: number,
  key: (row: Row) => string,
  item: (row: Row) => T,
): Paged<T> {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    items: rows.slice(0, limit).map(item),
    next_cursor: last === undefined ? null : Buffer.from(key(last)).toString('base64url'),
  }
}
