import { describe, expect, test } from 'vitest'
import { jsonSchemas, openapi } from './openapi.ts'
import type { Operation } from './operation.ts'
import { type OperationName, operations } from './operations.ts'
import { problemDocument } from './problem.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is looked at as a reader would, field by field
type Json = any

const throughJson = (value: unknown): Json => JSON.parse(JSON.stringify(value))

const api = throughJson(openapi())

const methods: { path: string; method: string; operation: Json }[] = Object.entries<Json>(api.paths).flatMap(
  ([path, item]) => Object.entries<Json>(item).map(([method, operation]) => ({ path, method, operation })),
)

/** Every object in a document with the path that leads there. */
function* objectsIn(value: Json, path: string[] = []): Generator<{ path: string[]; object: Json }> {
  if (typeof value !== 'object' || value === null) return
  yield { path, object: value }
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, [...path, key])
}

const schemaKeywordsIn = (document: Json) =>
  [...objectsIn(document)].filter(
    ({ path }) => !path.some(key => key.startsWith('example') || key === 'default'),
  )

test('every operation is listed, once', () => {
  const ids = methods.map(({ operation }) => operation.operationId)
  expect(ids.toSorted()).toEqual(Object.keys(operations).toSorted())
  expect(new Set(ids).size).toBe(ids.length)
  const places = Object.values(operations).map(({ method, path }) => `${method} ${path}`)
  expect(new Set(places).size).toBe(places.length)
})

test('every reference leads somewhere', () => {
  const references = [...objectsIn(api)]
    .map(({ object }) => object.$ref)
    .filter(ref => typeof ref === 'string')
  expect(references.length).toBeGreaterThan(methods.length)
  for (const reference of references) {
    const [start, ...keys] = reference.split('/')
    expect(start).toBe('#')
    expect(
      keys.reduce((value: Json, key: string) => value?.[key], api),
      reference,
    ).toBeTypeOf('object')
  }
})

test('every component is used', () => {
  const used = JSON.stringify(api.paths)
  for (const name of Object.keys(api.components.schemas)) {
    expect(used).toContain(`"#/components/schemas/${name}"`)
  }
})

describe.each(methods)('$method $path', ({ path, method, operation }) => {
  test('can be answered with a problem', () => {
    expect(operation.responses.default.content).toEqual({
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        example: problemDocument.example,
      },
    })
  })

  const described: Operation = operations[operation.operationId as OperationName]

  test('has a summary and answers that are described', () => {
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    const { default: _, ...answers } = operation.responses
    const otherwise = (described.otherwise ?? []).map(({ status }) => status)
    expect(Object.keys(answers).map(Number)).toEqual([described.answer.status, ...otherwise].toSorted())
    for (const answer of Object.values<Json>(answers)) expect(answer.description).toMatch(/^[A-Z].*[^.]$/)
  })

  test('says of each other answer what it is, and shows a problem as one', () => {
    for (const { status, document } of described.otherwise ?? []) {
      const type = status < 400 ? 'application/json' : 'application/problem+json'
      expect(operation.responses[status].content[type].example).toEqual(throughJson(document.example))
    }
  })

  test('says whether its body may be left out', () => {
    expect(operation.requestBody?.required).toBe(described.body && described.bodyOptional !== true)
  })

  test('has the parameters that its path names', () => {
    const inPath = (operation.parameters ?? []).filter((parameter: Json) => parameter.in === 'path')
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(inPath.map(({ name }: Json) => name)).toEqual(named)
    expect(inPath.every(({ required }: Json) => required === true)).toBe(true)
  })

  test('takes an Idempotency-Key exactly when it writes for who has a token', () => {
    const headers = (operation.parameters ?? []).filter((parameter: Json) => parameter.in === 'header')
    const key = headers.find(({ name }: Json) => name.toLowerCase() === 'idempotency-key')
    expect(key !== undefined).toBe(method !== 'get' && operation.security === undefined)
    expect(key?.required ?? false).toBe(false)
  })
})

/**
 * Fixed by the specification; a file of which the metrics server refuses, by name, what it does not know; or a change
 * or a file of people’s, in which a misspelt field would pass for one that was left out.
 */
const closedOnPurpose = [
  'repository-settings',
  ...['health', 'version', 'rule-file', 'scrape-config'],
  ...['project-change', 'watched-service-change', 'variable-change', 'variable-restore', 'environment-file'],
  ...['incident-change', 'maintenance-change'],
]

/** Objects that refuse unknown fields. Those of a timer do, because it is one of them or the other. */
const closedIn = (document: Json) =>
  schemaKeywordsIn(document).filter(
    ({ path, object }) => object.additionalProperties === false && !path.includes('timer'),
  )

test.each([...jsonSchemas()])('%s lets fields be added, unless it is closed on purpose', (name, schema) => {
  expect(closedIn(schema).length > 0).toBe(closedOnPurpose.includes(name))
})

test('the API’s own schemas let fields be added', () => {
  const project = 'schemas.EnvironmentFile.properties.projects.additionalProperties'
  const service = 'schemas.EnvironmentFile.properties.services.additionalProperties'
  expect(closedIn(api.components).map(({ path }) => path.join('.'))).toEqual([
    'schemas.EnvironmentFile',
    project,
    `${project}.properties.health`,
    `${project}.properties.limits`,
    `${project}.properties.adopted.anyOf.0`,
    `${project}.properties.processes.items`,
    `${project}.properties.variables.additionalProperties.anyOf.1`,
    service,
    `${service}.properties.expect`,
    'schemas.IncidentChange',
    'schemas.MaintenanceChange',
    'schemas.ProjectChange',
    'schemas.ProjectChange.properties.limits',
    'schemas.VariableChange',
    'schemas.VariableRestore',
    'schemas.WatchedServiceChange',
    'schemas.WatchedServiceChange.properties.expect',
  ])
})

test('what a caller may leave out is not required of it', () => {
  expect(api.components.schemas.TokenCreate.required).toEqual(['label'])
  expect(api.components.schemas.TokenRotate.required).toBeUndefined()
  expect(api.components.schemas.ProjectChange.required).toBeUndefined()
  expect(api.components.schemas.ProjectCreate.required).toEqual(['name', 'repository', 'git_url', 'runtime'])
})

test('a call that is signed needs neither a token nor a key', () => {
  const { paths } = openapi() as {
    paths: Record<string, Record<string, { security?: unknown; parameters: { name: string }[] }>>
  }
  const hook = paths['/api/hooks/{name}']!.post!
  expect(hook.security).toEqual([])
  expect(hook.parameters.map(({ name }) => name)).toEqual(['name', 'x-hub-signature-256'])
})
