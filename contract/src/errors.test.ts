import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ErrorEntry, errors } from './errors.ts'

const entries = Object.entries<ErrorEntry>(errors)
const root = join(import.meta.dirname, '../..')

/** The product's own code, without its tests. */
const sources = globSync(
  ['control', 'edge', 'cli', 'kit'].map(name => `${name}/src/**/*.ts`),
  { cwd: root },
)
  .filter(file => !/(\.test|\/suite|\/under-test)\.ts$/.test(file))
  .map(file => readFileSync(join(root, file), 'utf8'))

/** As an argument of a fault, or in a table from which one is made. */
const thrownCodes = new Set(
  sources.flatMap(text =>
    [...text.matchAll(/(?:\bFault\(|\[|\?|:)\s*'([a-z]+(?:_[a-z]+)*)'\s*[,:]/g)].map(([, code]) => code),
  ),
)

test.each(entries)(
  '%s tells its meaning and its remedy in sentences',
  (_code, { title, meaning, remedy }) => {
    for (const text of [meaning, remedy]) {
      expect(text).toMatch(/^[A-Z`][^\n]{15,}\.$|^quarterdeck\.yaml[^\n]{15,}\.$/)
      expect(text).not.toMatch(/\s{2}|\.\.|\s[.,;]/)
    }
    expect(title).toMatch(/^[A-Z][^.\n]+$/)
  },
)

test.each(entries)('%s has a status that its family and HTTP know', (_code, { family, status }) => {
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(600)
  if (family === 'unreachable') expect(status).toBeGreaterThanOrEqual(502)
  if (family === 'bug') expect(status).toBe(500)
})

test('codes are lower-case words, titles are told apart', () => {
  for (const [code] of entries) expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
  expect(new Set(entries.map(([, { title }]) => title)).size).toBe(entries.length)
})

test('every entry of the catalogue is thrown somewhere', () => {
  expect(entries.map(([code]) => code).filter(code => !thrownCodes.has(code))).toEqual([])
})

test('every fault that is thrown is in the catalogue', () => {
  const thrown = sources.flatMap(text =>
    [...text.matchAll(/\bnew Fault\(\s*'(\w+)'/g)].map(([, code]) => code!),
  )
  expect(thrown.length).toBeGreaterThan(20)
  expect(thrown.filter(code => !Object.hasOwn(errors, code))).toEqual([])
})
