/** Reads the YAML of an environment: whatever is wrong with it is told with line and column, all at once. */
import {
  type EnvironmentFile,
  environmentFile,
  type FieldError,
  projectEntry,
  watchedEntry,
} from '@quarterdeck/contract'
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseAllDocuments,
  visit,
} from 'yaml'
import { GuidedFault } from '../fail.ts'

/** A few aliases save writing; a bomb of them fills the memory. */
const mostAliases = 100
/** What somebody would mend before looking again. */
const mostProblems = 50

type WrittenFile = (typeof environmentFile)['_zod']['input']

/** `name` is what people know the file by. */
export class EnvironmentYaml {
  /** With all defaults. */
  readonly file: EnvironmentFile
  /** As it is written: defaults are for control to fill in, which may know fewer settings, or others. */
  readonly written: WrittenFile
  readonly #name: string
  readonly #document: Document
  readonly #lines = new LineCounter()

  constructor(name: string, text: string) {
    this.#name = name
    // Its own look for keys that come twice compares each with each.
    const documents = parseAllDocuments(text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      uniqueKeys: false,
    })
    const [document, second] = 'empty' in documents ? [] : documents
    if (!document) throw this.#refusal([{ field: name, message: 'is empty; it begins with `schema: 1`' }])
    this.#document = document
    const broken = [...document.errors, ...document.warnings].map(({ pos, message }) =>
      this.#problem(pos[0], message),
    )
    if (second?.range) broken.push(this.#problem(second.range[0], 'a second document; there can be only one'))
    if (broken.length > 0) throw this.#refusal(broken)
    const keys = this.#keyProblems()
    if (keys.length > 0) throw this.#refusal(keys)
    const values = this.#values()
    this.file = this.#checked(values)
    this.written = values as WrittenFile
  }

  /** What control said of a path in the document, said of a line in the file. */
  placed({ field, message }: FieldError): FieldError {
    const place = this.#placeOf(field.split('.'))
    return { field: place ? `${this.#name}:${place} ${field}` : field, message }
  }

  #values(): unknown {
    try {
      return this.#document.toJS({ maxAliasCount: mostAliases })
    } catch (error) {
      // Of aliases: too many, or of what is not there.
      throw this.#refusal([{ field: this.#name, message: (error as Error).message }], error)
    }
  }

  /** Twice the same, or what is no name at all. */
  #keyProblems(): FieldError[] {
    const problems: FieldError[] = []
    visit(this.#document, {
      Map: (_, { items }) => {
        const seen = new Set<unknown>()
        for (const { key } of items) {
          const name = isScalar(key) ? key.value : undefined
          const at = isNode(key) ? (key.range?.[0] ?? 0) : 0
          if (typeof name !== 'string' || name === '__proto__') {
            problems.push(this.#problem(at, 'a key must be a name'))
          } else if (seen.has(name)) problems.push(this.#problem(at, `${name} is there twice`))
          seen.add(name)
        }
      },
    })
    return problems
  }

  #checked(values: unknown): EnvironmentFile {
    const { data, error } = environmentFile.safeParse(values)
    if (data) return data
    const problems = error.issues.flatMap(issue => {
      if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: issue.message }]
      return issue.keys.map(key => ({ path: [...issue.path, key], message: unknown(issue.path) }))
    })
    const placed = problems.slice(0, mostProblems).map(({ path, message }) => {
      const field = path.map(String).join('.')
      return field === ''
        ? { field: this.#name, message: 'must be a map that begins with `schema: 1`' }
        : this.placed({ field, message })
    })
    throw this.#refusal(placed, undefined, problems.length)
  }

  #problem(offset: number, message: string): FieldError {
    const { line, col } = this.#lines.linePos(offset)
    return { field: `${this.#name}:${line}:${col}`, message }
  }

  #refusal(fields: readonly FieldError[], cause?: unknown, total = fields.length): GuidedFault {
    const count = total === 1 ? 'one problem' : `${total} problems`
    return new GuidedFault(
      'invalid_fields',
      `${this.#name} cannot be applied: ${count}. Nothing was changed.`,
      'Mend what is named above; `qd export` shows how an environment is written.',
      { fields: fields.slice(0, mostProblems), cause },
    )
  }

  /** Of the key, or of as much of the path as there is. */
  #placeOf(path: readonly string[]): string | undefined {
    let node: unknown = this.#document.contents
    let at: number | undefined
    for (const key of path) {
      if (isAlias(node)) node = node.resolve(this.#document)
      if (!isCollection(node)) break
      const pair = isMap(node)
        ? node.items.find(each => isScalar(each.key) && each.key.value === key)
        : undefined
      node = pair ? pair.value : node.get(isMap(node) ? key : Number(key), true)
      const marked = pair ? pair.key : node
      if (!isNode(marked)) break
      at = marked.range?.[0]
    }
    if (at === undefined) return undefined
    const { line, col } = this.#lines.linePos(at)
    return `${line}:${col}`
  }
}

function unknown(path: readonly PropertyKey[]): string {
  if (path.length === 0) return `is not known; known are ${Object.keys(environmentFile.shape).join(', ')}`
  if (path.length !== 2) return 'is not known here'
  const [what, known] = path[0] === 'services' ? ['watched service', watchedEntry] : ['project', projectEntry]
  return `is no setting of a ${what}; there are ${Object.keys(known.shape).join(', ')}`
}
