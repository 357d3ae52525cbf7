/** One page: from its text to HTML, sections, anchors and links. */
import type { HandbookSection } from '@quarterdeck/contract'
import type { Token } from 'markdown-it'
import { FrontMatterFault, openPage } from '../front-matter.ts'
import { anchorOf } from '../page-id.ts'
import type { Highlighter } from './highlighter.ts'
import { languageOf, markdown, type PageEnv } from './markdown.ts'
import { markNote, markTask } from './notes-and-tasks.ts'
import type { Outcome, PageLink, Rendered, ToRender } from './rendered.ts'
import { resolveLink } from './resolve-link.ts'

export async function renderPage(page: ToRender, highlighter: Highlighter): Promise<Outcome> {
  const { key } = page
  try {
    return { key, page: await render(page, highlighter) }
  } catch (error) {
    if (error instanceof FrontMatterFault) return { key, fault: { line: error.line, message: error.message } }
    return { key, fault: { line: null, message: `it cannot be rendered: ${(error as Error).message}` } }
  }
}

async function render(page: ToRender, highlighter: Highlighter): Promise<Rendered> {
  const { meta, body, above } = openPage(page.text)
  const tokens = markdown.parse(body, {})
  const reading = new Reading(page, above)
  reading.read(tokens)
  const code = await highlighter.highlight(
    reading.fences.map(fence => ({ language: languageOf(fence), text: fence.content })),
  )
  const env: PageEnv = { code }
  const shown = reading.titleAt === undefined ? tokens : tokens.toSpliced(reading.titleAt, 3)
  const sections = reading.sections.filter(({ id, text }) => id !== '' || text !== '')
  return {
    meta,
    title: meta.title ?? reading.title ?? nameOf(page.path),
    html: markdown.renderer.render(shown, markdown.options, env as never),
    sections,
    anchors: [...reading.anchors],
    links: reading.links,
    words: sections.reduce((sum, { text, title }) => sum + wordsIn(title) + wordsIn(text), 0),
    problems: reading.problems,
  }
}

/** Goes over the tokens once. */
class Reading {
  readonly fences: Token[] = []
  readonly links: PageLink[] = []
  readonly anchors = new Set<string>()
  readonly problems: { line: number; message: string }[] = []
  readonly sections: HandbookSection[] = []
  title: string | undefined
  /** Where the heading stands that is the page’s title, and is shown by its frame. */
  titleAt: number | undefined
  readonly #page: ToRender
  readonly #above: number
  #section: HandbookSection = { id: '', level: 1, title: '', text: '' }
  #text: string[] = []
  /** Of the last token that told it: cells of a table do not. */
  #line = 1

  constructor(page: ToRender, above: number) {
    this.#page = page
    this.#above = above
  }

  read(tokens: Token[]): void {
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i]!
      if (token.map) this.#line = token.map[0] + 1 + this.#above
      if (token.type === 'inline') this.#inline(token)
      else if (token.type === 'heading_open') this.#heading(tokens, i++)
      else if (token.type === 'paragraph_open' && isComment(tokens[i + 1]!)) tokens.splice(i--, 3)
      else if (token.type === 'fence') this.#code(token, this.fences)
      else if (token.type === 'code_block') this.#code(token)
      else if (token.type === 'blockquote_open') markNote(tokens, i)
      else if (token.type === 'list_item_open') markTask(tokens, i)
    }
    this.#endSection()
  }

  #code(token: Token, fences?: Token[]): void {
    fences?.push(token)
    this.#text.push(token.content)
  }

  #heading(tokens: Token[], index: number): void {
    const open = tokens[index]!
    const inline = tokens[index + 1]!
    const before = this.#text
    this.#text = []
    this.#inline(inline)
    const asked = / ?\{#([\w-]+)\}$/.exec(inline.content)?.[1]
    if (asked) takeOff(inline, `{#${asked}}`)
    const title = tidy(this.#text.join('')).replace(/ ?\{#[\w-]+\}$/, '')
    this.#text = before
    const level = Number(open.tag.slice(1))
    if (level === 1 && this.title === undefined && this.anchors.size === 0) {
      this.title = title
      this.titleAt = index
      return
    }
    this.#endSection()
    const id = asked ? this.#asked(asked) : this.#free(anchorOf(title) || 'section')
    this.anchors.add(id)
    open.attrSet('id', id)
    this.#section = { id, level, title, text: '' }
  }

  #asked(id: string): string {
    if (!this.anchors.has(id)) return id
    this.problems.push({ line: this.#line, message: `two headings have the id ${id}` })
    return this.#free(id)
  }

  #free(id: string): string {
    if (!this.anchors.has(id)) return id
    let count = 1
    while (this.anchors.has(`${id}-${count}`)) count++
    return `${id}-${count}`
  }

  #inline(token: Token): void {
    let line = this.#line
    for (const child of token.children ?? []) {
      if (child.type === 'text' || child.type === 'code_inline') this.#text.push(child.content)
      else if (child.type === 'softbreak' || child.type === 'hardbreak') {
        line++
        this.#text.push(' ')
      } else if (child.type === 'link_open') this.#link(child, 'href', line)
      else if (child.type === 'image') {
        this.#text.push(child.content)
        this.#link(child, 'src', line)
      }
    }
    this.#text.push(' ')
  }

  #link(token: Token, attribute: 'href' | 'src', line: number): void {
    const written = String(token.attrGet(attribute) ?? '')
    const resolved = resolveLink(written, this.#page)
    if (resolved.kind === 'escape') {
      this.problems.push({ line, message: `the link ${written} leads out of the handbook` })
    } else if (resolved.kind === 'outside') {
      token.attrSet(attribute, resolved.href)
      if (attribute === 'src') token.meta = { outside: true }
      else token.attrSet('rel', 'noopener noreferrer')
    } else {
      token.attrSet(attribute, resolved.href)
      this.links.push({ to: resolved.to, anchor: resolved.anchor, written, line })
    }
  }

  #endSection(): void {
    this.sections.push({ ...this.#section, text: tidy(this.#text.join('')) })
    this.#text = []
  }
}

/** HTML is shown as it is written, but a remark is for who writes. */
const isComment = ({ content }: Token) => /^<!--(?!.*-->.)[\s\S]*-->$/.test(content)

function takeOff(inline: Token, ending: string): void {
  const last = inline.children?.at(-1)
  if (last?.type === 'text') last.content = last.content.slice(0, -ending.length).trimEnd()
}

const tidy = (text: string) => (/[^\S ]| {2}/.test(text) ? text.replace(/\s+/g, ' ') : text).trim()

function wordsIn(text: string): number {
  if (text === '') return 0
  let count = 1
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) count++
  return count
}

/** Of a page that says no title: `first-steps.md` is “first steps”. */
const nameOf = (path: string) =>
  path.replace(/\.md$/i, '').split('/').at(-1)!.replace(/[-_]+/g, ' ').trim() || 'untitled'
