/** A published document: one name, the schema that decides, and an example that tests validate. */
import type { z } from 'zod'

export interface Document<S extends z.ZodType = z.ZodType> {
  /** kebab-case; the file name of its JSON Schema and, in PascalCase, its OpenAPI component. */
  readonly name: string
  readonly schema: S
  readonly example: z.input<S>
}

export function document<S extends z.ZodType>(name: string, schema: S, example: z.input<S>): Document<S> {
  return { name, schema, example }
}
