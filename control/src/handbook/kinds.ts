/** Kinds of pages, in the order and under the names that lists show them. Another kind comes after them. */

const kinds: readonly [kind: string, title: string][] = [
  ['start', 'Getting started'],
  ['concept', 'Concepts'],
  ['guide', 'Guides'],
  ['operations', 'Running it'],
  ['runbook', 'Runbooks'],
  ['reference', 'Reference'],
]

const ranks = new Map(kinds.map(([kind], rank) => [kind, rank]))
const titles = new Map(kinds)

export const rankOf = (kind: string): number => ranks.get(kind) ?? kinds.length

export const titleOfKind = (kind: string): string =>
  titles.get(kind) ?? `${kind[0]!.toUpperCase()}${kind.slice(1).replaceAll('-', ' ')}`
