import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { readDemo, recordDemo, wantDemo } from './state.ts'

const wanted = { python: { state: 'wanted' }, node: { state: 'wanted' } }

test('a home that was never used gets a demo, also with a configuration and its lock in it', () => {
  const home = temporaryDirectory()
  for (const name of ['lock', 'lock-journal', 'quarterdeck.yaml']) writeFileSync(join(home, name), '')
  wantDemo({ home, domain: 'localhost' })
  expect(readDemo(home)).toEqual(wanted)
})

test.each(['operator.token', 'quarterdeck.db', 'projects'])('a home with %s in it gets none', name => {
  const home = temporaryDirectory()
  writeFileSync(join(home, name), '')
  wantDemo({ home, domain: 'localhost' })
  expect(readDemo(home)).toBeUndefined()
})

test('an environment with a domain of its own gets none', () => {
  const home = temporaryDirectory()
  wantDemo({ home, domain: 'example.com' })
  expect(readDemo(home)).toBeUndefined()
})

test('how far it has come is kept, and not begun anew', () => {
  const home = temporaryDirectory()
  wantDemo({ home, domain: 'localhost' })
  recordDemo(home, 'python', { state: 'done' })
  wantDemo({ home, domain: 'localhost' })
  expect(readDemo(home)).toEqual({ ...wanted, python: { state: 'done' } })
})

test('a file that cannot be understood is no demo', () => {
  const home = temporaryDirectory()
  mkdirSync(join(home, 'demo'))
  for (const text of ['', '{', 'null', '{"python":{"state":"done"}}']) {
    writeFileSync(join(home, 'demo/demo.json'), text)
    expect(readDemo(home)).toBeUndefined()
  }
})
