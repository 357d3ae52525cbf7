/** Markdown that is made: front matter, tables, cells. */

export const page = (meta: { title: string; description: string; order: number }, body: string): string =>
  `---
# Made by npm run generate: change the code that it is made from.
title: ${JSON.stringify(meta.title)}
description: ${JSON.stringify(meta.description)}
kind: reference
order: ${meta.order}
---

${body.trim()}
`

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.map(cell).join(' | ')} |`).join('\n')

const cell = (text: string) => text.replace(/\s+/g, ' ').replaceAll('|', '\\|')

export const code = (text: string): string => `\`${text}\``

export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
