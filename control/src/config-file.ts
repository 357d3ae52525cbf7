/** The configuration as it is written: read with the line of every key, and every mistake in it said with what was expected. */
import { readFileSync } from 'node:fs'
import { Fault, type FieldError } from '@quarterdeck/contract'
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'

export interface ConfigFile {
  values: unknown
  lineOf(path: readonly PropertyKey[]): number | undefined
}

export function readConfigFile(path: string, required: boolean): ConfigFile {
  const text = readText(path, required)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const broken = document.errors[0]
  if (broken) {
    const { line, col } = lines.linePos(broken.pos[0])
    throw new Fault('config_invalid', `${path}:${line}:${col} is not valid YAML: ${broken.message}.`, {
      cause: broken,
    })
  }
  return {
    values: document.toJS({ maxAliasCount: 100 }) ?? {},
    lineOf(keys) {
      const parent = document.getIn(keys.slice(0, -1), true)
      const pair = isMap(parent)
        ? parent.items.find(({ key }) => isScalar(key) && key.value === keys.at(-1))
        : undefined
      const node =
        pair && isScalar(pair.key)
          ? pair.key
          : (document.getIn(keys, true) as { range?: [number] } | undefined)
      return node?.range ? lines.linePos(node.range[0]).line : undefined
    },
  }
}

function readText(path: string, required: boolean): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && !required) return ''
    throw new Fault('config_invalid', `${path} cannot be read (${code}).`, { cause: error })
  }
}

/** All mistakes at once, each with its line, what was expected and what was found. */
export function configFault(
  path: string,
  error: z.ZodError,
  { values, lineOf }: ConfigFile,
  schema: z.ZodType,
): Fault {
  const fields = error.issues.flatMap((issue): FieldError[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map(key => fieldError([...issue.path, key], unknownKey(issue.path, key, schema), lineOf))
      : [fieldError(issue.path, `${expectation(issue)}${found(issue.path, values)}`, lineOf)],
  )
  const places = fields.map(({ field, message }) => `${field} ${message}`).join('; ')
  return new Fault('config_invalid', `${path}: ${places}.`, { cause: error, fields })
}

function fieldError(keys: readonly PropertyKey[], message: string, lineOf: ConfigFile['lineOf']): FieldError {
  const line = lineOf(keys)
  return {
    field: keys.length > 0 ? keys.join('.') : 'the file',
    message: line ? `(line ${line}) ${message}` : message,
  }
}

function unknownKey(parent: readonly PropertyKey[], key: string, options: z.ZodType): string {
  const known = keysAt(parent, options)
  const close = known.find(candidate => distance(candidate, key) <= 2)
  return `is not an option${close ? ` (did you mean ${close}?)` : known.length > 0 ? ` (known: ${known.join(', ')})` : ''}`
}

function keysAt(path: readonly PropertyKey[], options: z.ZodType): string[] {
  let schema: unknown = options
  for (const key of path) schema = shapeOf(schema)?.[String(key)]
  return Object.keys(shapeOf(schema) ?? {})
}

function shapeOf(schema: unknown): Record<string, unknown> | undefined {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault) return shapeOf(schema.unwrap())
  return schema instanceof z.ZodObject ? schema.shape : undefined
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union') return 'must name an engine: sqlite, or postgres with a url'
  const message = issue.message.replace(/^Invalid (input|option|string): /i, '').replace(/, received .*$/, '')
  return `must be ${message.replace(/^expected /, '').replace(/^Too (small|big): expected \w+ to be /, '')}`
}

function found(path: readonly PropertyKey[], values: unknown): string {
  const value = path.reduce<unknown>(
    (inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key],
    values,
  )
  // Never repeat what may hold a password.
  return value === undefined || path.at(-1) === 'url' ? '' : `, not ${JSON.stringify(value)}`
}

/** How many letters apart two words are (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
    }
    row = next
  }
  return row[b.length]!
}
