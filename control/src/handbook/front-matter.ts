/** What stands above a page, between two lines `---`: YAML, checked, each mistake with its line. */
import { LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'

const text = z.string().trim().min(1)
const slug = z.string().regex(/^[a-z][a-z0-9-]{0,62}$/, 'lower-case letters, digits and hyphens')

export const frontMatter = z.strictObject({
  title: text.max(200).optional(),
  description: text.max(500).optional(),
  kind: slug.default('guide'),
  tags: z.array(text.max(60)).max(30).default([]),
  owner: text.max(100).nullable().default(null),
  services: z.array(slug).max(100).default([]),
  review_by: z.iso.date().nullable().default(null),
  order: z.int().min(-100_000).max(100_000).default(1000),
  aliases: z
    .array(z.string().regex(/^\/[\w./-]{0,200}$/, 'an earlier path such as /old-name'))
    .max(50)
    .default([]),
})
export type FrontMatter = z.output<typeof frontMatter>

export class FrontMatterFault extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

export interface Opened {
  meta: FrontMatter
  body: string
  /** How many lines stand above the body. */
  above: number
}

const none = frontMatter.parse({})

export function openPage(source: string): Opened {
  const written = source.charCodeAt(0) === 0xfeff ? source.slice(1) : source
  if (!/^---[ \t]*\r?\n/.test(written)) return { meta: none, body: written, above: 0 }
  const [block, yaml = ''] = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\r?\n|$)/m.exec(written) ?? []
  if (block === undefined)
    throw new FrontMatterFault(1, 'the front matter has no end: a line of three hyphens')
  return {
    meta: read(yaml),
    body: written.slice(block.length),
    above: block.split('\n').length - 1,
  }
}

function read(yaml: string): FrontMatter {
  const lines = new LineCounter()
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false })
  const lineAt = (offset: number) => lines.linePos(offset).line + 1
  const broken = document.errors[0]
  if (broken)
    throw new FrontMatterFault(lineAt(broken.pos[0]), `the front matter is not YAML: ${broken.message}`)
  let values: unknown
  try {
    values = document.toJS({ maxAliasCount: 20 }) ?? {}
  } catch (error) {
    throw new FrontMatterFault(2, `the front matter cannot be used: ${(error as Error).message}`)
  }
  const result = frontMatter.safeParse(values)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const path = issue!.code === 'unrecognized_keys' ? [issue!.keys[0]!] : issue!.path
  const node = document.getIn(path, true) as { range?: [number] } | undefined
  const at = node?.range ? lineAt(node.range[0]) : 2
  throw new FrontMatterFault(at, `front matter: ${path.join('.') || 'it'}: ${issue!.message}`)
}
