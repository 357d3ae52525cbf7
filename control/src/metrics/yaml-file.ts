/** A YAML file that somebody wrote by hand: read, checked, and every problem told with its line. */
import { readFileSync } from 'node:fs'
import { isNode, LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'

/** More is no configuration. */
const longestFile = 10 * 1024 * 1024

/** What is wrong with files, a line for each problem, such as `/home/rules/own.yml:3: …`. */
export class FilesRefused extends Error {
  override name = 'FilesRefused'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

export interface YamlFile {
  readonly path: string
  readonly value: unknown
  /** `path:line` of what lies at these keys, or of what is nearest around it. */
  placeOf(keys: readonly PropertyKey[]): string
}

/** Throws `FilesRefused`. */
export function readYamlFile(path: string): YamlFile {
  return parseYamlFile(path, textOf(path))
}

export function parseYamlFile(path: string, text: string): YamlFile {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  const lineAt = (offset: number) => lineCounter.linePos(offset).line
  const problems = document.errors.map(
    ({ pos, message }) => `${path}:${lineAt(pos[0])}: not valid YAML: ${message}`,
  )
  if (problems.length > 0) throw new FilesRefused(problems)
  return {
    path,
    value: unfolded(path, () => document.toJS({ maxAliasCount: 100 }) ?? {}),
    placeOf(keys) {
      for (let length = keys.length; length >= 0; length--) {
        const node = document.getIn(keys.slice(0, length), true)
        if (isNode(node) && node.range) return `${path}:${lineAt(node.range[0])}`
      }
      return `${path}:1`
    },
  }
}

/** The value as its schema gives it. */
export function checkedYaml<T>(file: YamlFile, schema: z.ZodType<T>): T {
  const result = schema.safeParse(file.value)
  if (result.success) return result.data
  throw new FilesRefused(
    result.error.issues.map(issue => `${file.placeOf(issue.path)}: ${textOfIssue(issue)}`),
  )
}

function textOfIssue(issue: z.core.$ZodIssue): string {
  const where = issue.path.length > 0 ? `${issue.path.join('.')}: ` : ''
  if (issue.code === 'unrecognized_keys')
    return `${where}${issue.keys.join(', ')} is not known to the embedded metrics engine. The Prometheus engine may know it; here, leave it out`
  return `${where}${issue.message}`
}

function textOf(path: string): string {
  try {
    const text = readFileSync(path, 'utf8')
    if (text.length <= longestFile) return text
  } catch (error) {
    throw new FilesRefused([`${path}: cannot be read (${(error as NodeJS.ErrnoException).code})`])
  }
  throw new FilesRefused([`${path}: longer than ${longestFile} characters`])
}

/** Such as aliases that would grow without end. */
function unfolded(path: string, read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    throw new FilesRefused([`${path}: ${(error as Error).message}`])
  }
}
