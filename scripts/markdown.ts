/** What a Markdown text refers to: its links, the code spans in it, its anchors, and its fenced blocks. */

export interface Block {
  /** The word after the fence, such as "ts"; empty if there is none. */
  language: string
  lines: string[]
}

export interface Markdown {
  /** Targets of links and images, inline and by reference. */
  links: string[]
  /** The content of `code spans`. */
  spans: string[]
  /** The ids that GitHub and the handbook give to the headings, and the ones written as HTML. */
  anchors: Set<string>
  blocks: Block[]
}

const fence = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)/
const heading = /^ {0,3}#{1,6}\s+(.+?)\s*#*\s*$/
const codeSpan = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/gs
const inlineLink = /\]\(\s*(?:<([^>]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))/g
const referenceLink = /^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)>?/gm
const htmlLink = /<(?:a|img)\s[^>]*?(?:href|src)="([^"]+)"/g
const htmlAnchor = /<[a-z][^>]*?\s(?:id|name)="([^"]+)"/g

/** Reads a Markdown text. Code is never taken for links or headings. */
export function readMarkdown(text: string): Markdown {
  const { prose, blocks } = splitBlocks(text.replace(/<!--.*?-->/gs, ''))
  const plain = prose.replace(codeSpan, '')
  return {
    links: [...plain.matchAll(inlineLink), ...plain.matchAll(referenceLink), ...plain.matchAll(htmlLink)]
      .map(match => match[1] ?? match[2] ?? '')
      .filter(Boolean),
    spans: [...prose.matchAll(codeSpan)].map(match => (match[2] ?? '').trim()),
    anchors: new Set([
      ...headingAnchors(prose),
      ...[...plain.matchAll(htmlAnchor)].map(match => match[1] ?? ''),
    ]),
    blocks,
  }
}

function splitBlocks(text: string): { prose: string; blocks: Block[] } {
  const prose: string[] = []
  const blocks: Block[] = []
  let open: { mark: string; block: Block } | null = null
  for (const line of text.split(/\r?\n/)) {
    const [, mark = '', language = ''] = fence.exec(line) ?? []
    if (open && mark.startsWith(open.mark) && language === '') open = null
    else if (open) open.block.lines.push(line)
    else if (mark) {
      open = { mark, block: { language, lines: [] } }
      blocks.push(open.block)
    } else prose.push(line)
  }
  return { prose: prose.join('\n'), blocks }
}

function headingAnchors(prose: string): string[] {
  const seen = new Map<string, number>()
  return prose.split('\n').flatMap(line => {
    const title = heading.exec(line)?.[1]
    if (title === undefined) return []
    const slug = slugOf(title)
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    return [count === 0 ? slug : `${slug}-${count}`]
  })
}

/** GitHub's rule: text without markup, lower case, spaces as hyphens, letters, digits, hyphens and underscores only. */
function slugOf(title: string): string {
  return title
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')
}
