import { expect, test } from 'vitest'
import { z } from 'zod'
import { documents } from './documents.ts'
import { health, healthDocument } from './health.ts'
import { version, versionDocument } from './version.ts'

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test('every document has its own kebab-case name', () => {
  const names = documents.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/)
})

test.each(documents)('the example of $name is valid and the same after JSON', ({ schema, example }) => {
  const read = schema.parse(throughJson(example))
  expect(read).toEqual(schema.parse(example))
  expect(schema.parse(throughJson(read))).toEqual(read)
})

test.each(documents)(
  'the example of $name has no field that its schema does not know',
  ({ schema, example }) => {
    expect(schema.parse(example)).toMatchObject(example as object)
  },
)

test.each(documents)('$name becomes a JSON Schema, for writers and for readers', ({ schema }) => {
  for (const io of ['input', 'output'] as const) {
    expect(z.toJSONSchema(schema, { target: 'draft-2020-12', io })).toHaveProperty('$schema')
  }
})

test.each([
  { name: 'Health', schema: health, example: healthDocument.example },
  { name: 'Version', schema: version, example: versionDocument.example },
])('$name has no other field than the specification’s', ({ schema, example }) => {
  const { error } = schema.safeParse({ ...example, uptime_s: 12 })
  expect(error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['uptime_s'] }])
})
