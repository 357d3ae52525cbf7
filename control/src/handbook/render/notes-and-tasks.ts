/** `> [!NOTE]` and `- [ ]` as GitHub writes them. */
import type { Token } from 'markdown-it'

const note = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]$/

/** A quotation whose first line names a kind of note is one. */
export function markNote(tokens: Token[], index: number): void {
  const [open, paragraph, inline] = tokens.slice(index, index + 3) as [Token, Token?, Token?]
  const [first, second] = inline?.children ?? []
  const kind = paragraph?.type === 'paragraph_open' ? note.exec(first?.content ?? '')?.[1] : undefined
  if (!kind || (second && second.type !== 'softbreak')) return
  inline!.children!.splice(0, 2)
  const meta = { note: kind.toLowerCase() }
  open.meta = meta
  const close = tokens.find(
    (token, i) => i > index && token.type === 'blockquote_close' && token.level === open.level,
  )
  if (close) close.meta = meta
}

/** An item of a list that begins with a box. */
export function markTask(tokens: Token[], index: number): void {
  const item = tokens[index]!
  const inline = tokens[index + 2]
  const first = inline?.children?.[0]
  const box = tokens[index + 1]?.type === 'paragraph_open' ? /^\[([ xX])\] /.exec(first?.content ?? '') : null
  if (!box || first?.type !== 'text') return
  first.content = first.content.slice(box[0].length)
  item.attrJoin('class', 'task-item')
  const task = Object.assign(Object.create(Object.getPrototypeOf(first)), first, {
    type: 'task',
    content: '',
    meta: { done: box[1] !== ' ' },
  }) as Token
  inline!.children!.unshift(task)
}
