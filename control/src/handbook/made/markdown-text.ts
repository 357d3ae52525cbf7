/** Text of others as Markdown shows it: nothing in it is markup. */

export const plain = (text: string): string =>
  text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]()#+.!|<>~&-]/g, '\\$&')

/** As code, whatever it holds. */
export function code(text: string): string {
  const line = text.replace(/\s+/g, ' ').replaceAll('|', '\\|')
  const ticks = '`'.repeat(1 + Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length)))
  return ticks.length > 1 ? `${ticks} ${line} ${ticks}` : `\`${line}\``
}

export const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(...head), row(...head.map(() => '---')), ...rows.map(cells => row(...cells))].join('\n')

/** Front matter; values are JSON, which is YAML. */
export const pageText = (meta: Readonly<Record<string, unknown>>, body: string): string =>
  `---\n${Object.entries(meta)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join('\n')}\n---\n\n${body.trim()}\n`
