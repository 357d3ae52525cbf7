/**
 * Colours code. What was coloured once lies on disk, by its content, so shiki is loaded only for what is new. Colours are
 * classes, because the pages’ policy allows no style in them; the style sheet says what they look like, in light and dark.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HighlighterCore } from '@shikijs/core'
import { escapeHtml } from './escape.ts'
import { languages } from './languages.ts'
import { codeKey } from './markdown.ts'

/** Of how code is coloured: another one leaves what is on disk aside. */
const version = '2'
const theme = 'handbook'
const longestBlock = 50_000
const longestLine = 2000
const keptAtMost = 20_000

export interface Block {
  readonly language: string
  readonly text: string
}

export class Highlighter {
  /** How many were not on disk. */
  coloured = 0
  readonly #directory: string
  readonly #known = new Map<string, string>()
  #shiki: Promise<HighlighterCore> | undefined

  constructor(directory: string) {
    this.#directory = directory
    mkdirSync(directory, { recursive: true })
    makeRoom(directory)
  }

  /** By `codeKey`; what cannot be coloured is not in it. */
  async highlight(blocks: readonly Block[]): Promise<ReadonlyMap<string, string>> {
    const done = new Map<string, string>()
    for (const block of blocks) {
      const { language, text } = block
      if (!Object.hasOwn(languages, language) || text.length > longestBlock) continue
      done.set(codeKey(language, text), await this.#one(block))
    }
    return done
  }

  async #one(block: Block): Promise<string> {
    const name = createHash('sha256')
      .update(`${version}\n${codeKey(block.language, block.text)}`)
      .digest('hex')
    const known = this.#known.get(name) ?? readIfThere(join(this.#directory, name))
    if (known !== undefined) return known
    const html = await this.#colour(block)
    this.coloured++
    this.#known.set(name, html)
    if (this.#known.size > 1000) this.#known.clear()
    // In one step: another process may read it.
    const half = join(this.#directory, `.${name}.${process.pid}`)
    writeFileSync(half, html)
    renameSync(half, join(this.#directory, name))
    return html
  }

  async #colour({ language, text }: Block): Promise<string> {
    this.#shiki ??= loadShiki()
    const shiki = await this.#shiki
    const grammar = (await languages[language]!()).default
    await shiki.loadLanguage(grammar)
    const lines = shiki.codeToTokensBase(text.replace(/\n$/, ''), {
      lang: grammar.at(-1)!.name,
      theme,
      tokenizeMaxLineLength: longestLine,
      // What is kept must not depend on how busy the machine was; a page that takes too long ends this process.
      tokenizeTimeLimit: 0,
    })
    return `${lines.map(line => line.map(span).join('')).join('\n')}\n`
  }
}

async function loadShiki(): Promise<HighlighterCore> {
  const { createHighlighterCore, createCssVariablesTheme } = await import('@shikijs/core')
  const { createJavaScriptRegexEngine } = await import('@shikijs/engine-javascript')
  return createHighlighterCore({
    themes: [createCssVariablesTheme({ name: theme, variablePrefix: '--' })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  })
}

/** Colours of the theme are `var(--token-keyword)`: the name in it is the class. */
function span({ content, color = '' }: { content: string; color?: string }): string {
  const name = /^var\(--token-([a-z-]+)\)$/.exec(color)?.[1]
  return name ? `<span class="t-${name}">${escapeHtml(content)}</span>` : escapeHtml(content)
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Nobody asks for what is no longer in any page: past the limit the older half goes. */
function makeRoom(directory: string): void {
  const names = readdirSync(directory)
  if (names.length <= keptAtMost) return
  const byAge = names
    .map(name => ({ name, ms: statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => a.ms - b.ms)
  for (const { name } of byAge.slice(0, byAge.length >> 1)) rmSync(join(directory, name), { force: true })
}
