import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runError } from './run.ts'
import { type RunErrorEntry, RunFault, runErrors } from './run-error.ts'

const entries = Object.entries<RunErrorEntry>(runErrors)
const root = join(import.meta.dirname, '../..')

/** What does runs, without its tests. */
const sources = globSync(
  ['agent', 'control'].map(name => `${name}/src/**/*.ts`),
  { cwd: root },
)
  .filter(file => !/(\.test|\/suite|\/under-test)\.ts$/.test(file))
  .map(file => readFileSync(join(root, file), 'utf8'))

test.each(entries)('%s tells its meaning and its remedy in sentences', (_code, { meaning, remedy }) => {
  for (const text of [meaning, remedy]) {
    expect(text).toMatch(/^[A-Z`][^\n]{15,}\.$|^git [^\n]{15,}\.$/)
    expect(text).not.toMatch(/\s{2}|\.\.|\s[.,;]/)
  }
})

test.each(entries)('%s can stand in a run', code => {
  const { code: thrown, message } = new RunFault(code as keyof typeof runErrors, 'It went wrong.')
  expect(runError.parse({ code: thrown, message })).toEqual({ code, message: 'It went wrong.' })
})

/** As an argument of a fault, as the code of an error, in a table from which one is made, or handed down to one. */
const thrownCodes = new Set(
  sources.flatMap(text =>
    [...text.matchAll(/(?:\bRunFault\(|\[|\bcode:)\s*'(\w+)'|,\s*'(\w+)'\)/g)].map(
      ([, code, handedDown]) => code ?? handedDown,
    ),
  ),
)

test('every entry of the catalogue is thrown somewhere', () => {
  expect(entries.map(([code]) => code).filter(code => !thrownCodes.has(code))).toEqual([])
})

test('every fault of a run that is thrown is in the catalogue', () => {
  const thrown = sources.flatMap(text =>
    [...text.matchAll(/\bnew RunFault\(\s*'(\w+)'/g)].map(([, code]) => code!),
  )
  expect(thrown.length).toBeGreaterThan(5)
  expect(thrown.filter(code => !Object.hasOwn(runErrors, code))).toEqual([])
})
