/** The OpenAPI 3.1 document of the admin API, made from the operations. */
import { z } from 'zod'
import type { Document } from './document.ts'
import { documents } from './documents.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'
import { problemDocument } from './problem.ts'

type Json = Record<string, unknown>

export function openapi(): Json {
  const paths: Record<string, Json> = {}
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: pathItem(name, operation),
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Quarterdeck admin API',
      version: '1',
      description:
        'Everything under /api on the admin host. Errors are RFC 9457 problem documents. Lists are pages: `items` and `next_cursor`. Every write takes `Idempotency-Key`: the same key and request within 24 hours give the same answer and have no second effect.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '{admin_url}', variables: { admin_url: { default: 'http://admin.localhost:8300' } } }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: components(),
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'A token: `qd_<kind>_…`' } },
    },
  }
}

function pathItem(name: string, operation: Operation): Json {
  return {
    operationId: name,
    summary: operation.summary,
    ...(operation.signed && { security: [] }),
    ...parameters(operation),
    ...(operation.body && {
      requestBody: {
        required: !operation.bodyOptional,
        content: content('application/json', operation.body),
      },
    }),
    responses: {
      [operation.answer.status]: {
        description: operation.answer.status === 204 ? 'Done' : 'The answer',
        ...(operation.answer.document && {
          content: content(operation.answer.type ?? 'application/json', operation.answer.document),
        }),
      },
      ...Object.fromEntries(
        (operation.otherwise ?? []).map(({ status, meaning, document }) => [
          status,
          {
            description: meaning,
            content: content(status < 400 ? 'application/json' : 'application/problem+json', document),
          },
        ]),
      ),
      default: { description: 'A problem', content: content('application/problem+json', problemDocument) },
    },
  }
}

function parameters(operation: Operation): Json {
  const idempotencyKey = z.object({ 'idempotency-key': z.string().min(1).max(200).optional() })
  const isKeyed = operation.method !== 'GET' && !operation.signed
  const headers = isKeyed ? idempotencyKey.extend(operation.headers?.shape ?? {}) : operation.headers
  const list = [
    ...parametersIn('path', operation.params),
    ...parametersIn('query', operation.query),
    ...parametersIn('header', headers),
  ]
  return list.length > 0 ? { parameters: list } : {}
}

function parametersIn(place: 'path' | 'query' | 'header', schema: z.ZodObject | undefined): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = jsonSchema(schema, 'input')
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property as Json
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
    }
  })
}

const content = (type: string, document: Document): Json => ({
  [type]: { schema: { $ref: `#/components/schemas/${pascal(document.name)}` }, example: document.example },
})

function components(): Json {
  const used = new Map<string, Json>()
  for (const operation of Object.values<Operation>(operations)) {
    if (operation.body) used.set(...component(operation.body, 'input'))
    if (operation.answer.document) used.set(...component(operation.answer.document, 'output'))
    for (const { document } of operation.otherwise ?? []) used.set(...component(document, 'output'))
  }
  used.set(...component(problemDocument, 'output'))
  return Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** References inside a schema start at the root of the document that it is put into. */
function component({ name, schema }: Document, io: 'input' | 'output'): [string, Json] {
  const place = `#/components/schemas/${pascal(name)}`
  const text = JSON.stringify(jsonSchema(schema, io)).replaceAll('"#/$defs/', `"${place}/$defs/`)
  return [pascal(name), JSON.parse(text)]
}

/** The JSON Schema of every document, by name. */
export function jsonSchemas(): ReadonlyMap<string, Json> {
  return new Map(
    documents.map(({ name, schema, example }) => [
      name,
      { title: pascal(name), ...jsonSchema(schema, 'output'), examples: [example] },
    ]),
  )
}

interface JsonSchema extends Json {
  properties?: Json
  required?: string[]
}

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema =>
  z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    // Fields are only ever added, so readers must not refuse unknown ones, unless the schema itself does.
    override: ({ zodSchema, jsonSchema: made }) => {
      if (
        zodSchema._zod.def.type === 'object' &&
        !('catchall' in zodSchema._zod.def && zodSchema._zod.def.catchall)
      ) {
        delete made.additionalProperties
      }
    },
  }) as JsonSchema

const pascal = (name: string) =>
  name.replace(/(^|-)([a-z])/g, (_all, _hyphen, letter) => letter.toUpperCase())
