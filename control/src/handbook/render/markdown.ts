/** Markdown as the handbook has it: CommonMark with tables, notes, task lists and anchors. HTML in it is text. */
import MarkdownIt, { type Token } from 'markdown-it'
import { escapeHtml } from './escape.ts'

/** What the renderer is told about a page beside its tokens. */
export interface PageEnv {
  /** Highlighted code, by language and text. */
  readonly code: ReadonlyMap<string, string>
}

export const codeKey = (language: string, text: string): string => `${language}\n${text}`

export const languageOf = ({ info }: Token): string => /^[\w+#-]+/.exec(info.trim())?.[0].toLowerCase() ?? ''

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false })

/** Nothing that a browser runs, and no address of a file. What remains is http, https, mailto and paths. */
markdown.validateLink = address => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers skip them, so they must not hide a scheme
  const scheme = /^[\u0000- ]*([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]
  return scheme === undefined || /^(https?|mailto)$/i.test(scheme)
}

const { rules } = markdown.renderer

rules.heading_close = (tokens, index) => {
  const { tag } = tokens[index]!
  const id = tokens[index - 2]?.attrGet('id')
  const anchor = id
    ? `<a class="anchor" href="#${escapeHtml(String(id))}" aria-hidden="true" tabindex="-1">#</a>`
    : ''
  return `${anchor}</${tag}>\n`
}

rules.table_open = () => '<div class="table" tabindex="0"><table>\n'
rules.table_close = () => '</table></div>\n'

rules.fence = (tokens, index, _options, env) => {
  const token = tokens[index]!
  const language = languageOf(token)
  const text = token.content
  const inner = (env as unknown as PageEnv).code.get(codeKey(language, text)) ?? escapeHtml(text)
  const label = language === '' ? '' : ` data-language="${escapeHtml(language)}"`
  return `<pre tabindex="0"${label}><code>${inner}</code></pre>\n`
}
rules.code_block = (tokens, index) =>
  `<pre tabindex="0"><code>${escapeHtml(tokens[index]!.content)}</code></pre>\n`

rules.blockquote_open = (tokens, index) => {
  const kind = tokens[index]!.meta?.note
  if (typeof kind !== 'string') return '<blockquote>\n'
  return `<div class="note ${kind}" role="note"><p class="note-title">${kind[0]!.toUpperCase()}${kind.slice(1)}</p>\n`
}
rules.blockquote_close = (tokens, index) => (tokens[index]!.meta?.note ? '</div>\n' : '</blockquote>\n')

rules.task = (tokens, index) =>
  tokens[index]!.meta?.done
    ? '<span class="task done" role="img" aria-label="done"></span>'
    : '<span class="task" role="img" aria-label="to do"></span>'

rules.image = (tokens, index) => {
  const { attrs, content, meta } = tokens[index]!
  const source = escapeHtml(String(new Map(attrs).get('src') ?? ''))
  const text = escapeHtml(content)
  // A page asks nobody outside for anything: whoever wants the picture follows the link.
  if (meta?.outside) return `<a href="${source}" rel="noopener noreferrer">${text || source}</a>`
  return `<img src="${source}" alt="${text}" loading="lazy">`
}

export { markdown }
