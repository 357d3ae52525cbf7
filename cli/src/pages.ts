/** The items of a list that comes in pages. */

const mostOnPage = 200

interface Page<T> {
  items: T[]
  next_cursor: string | null
}

export async function itemsOf<T>(
  read: (query: { limit: number; cursor: string | undefined }) => Promise<Page<T>>,
  most = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const page = await read({ limit: Math.min(most - items.length, mostOnPage), cursor })
    items.push(...page.items)
    cursor = page.next_cursor ?? undefined
  } while (cursor && items.length < most)
  return items
}
