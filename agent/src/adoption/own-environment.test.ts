import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { layoutOf } from '../layout.ts'
import { putLink } from './adopted-releases.ts'
import { keepOwnEnvironment, restoreOwnEnvironment } from './own-environment.ts'

function place(name: string) {
  const root = temporaryDirectory()
  const environment = join(root, 'srv', name)
  mkdirSync(environment, { recursive: true })
  writeFileSync(join(environment, 'mark'), 'own')
  const adopted = { work: join(root, 'srv'), environment, user: 'hello', units: {} }
  return { adopted, environment, layout: layoutOf(join(root, 'home'), 'hello') }
}

test.each(['venv', 'node_modules'])('%s is kept beside its path, which leads to it', name => {
  const { adopted, environment, layout } = place(name)
  keepOwnEnvironment(adopted, layout)
  expect(lstatSync(environment).isSymbolicLink()).toBe(true)
  expect(readFileSync(join(environment, 'mark'), 'utf8')).toBe('own')
  expect(realpathSync(environment)).toBe(`${realpathSync(dirname(environment))}/${name}.adopted`)
  keepOwnEnvironment(adopted, layout)
  expect(readFileSync(join(environment, 'mark'), 'utf8')).toBe('own')
})

test('one that was a link already is led to where it led', () => {
  const { adopted, environment, layout } = place('venv')
  const link = `${environment}-current`
  symlinkSync('venv', link)
  keepOwnEnvironment({ ...adopted, environment: link }, layout)
  expect(readFileSync(join(link, 'mark'), 'utf8')).toBe('own')
  expect(existsSync(`${link}.adopted`)).toBe(false)
})

test('Node without any package gets a place for them', () => {
  const { adopted, environment, layout } = place('node_modules')
  rmSync(environment, { recursive: true })
  keepOwnEnvironment(adopted, layout)
  expect(lstatSync(environment).isSymbolicLink()).toBe(true)
})

test('cut short between the two renames, it is put back', () => {
  const { adopted, environment, layout } = place('venv')
  keepOwnEnvironment(adopted, layout)
  rmSync(environment)
  restoreOwnEnvironment(adopted)
  expect(lstatSync(environment).isDirectory()).toBe(true)
})

test('a directory that someone has put in its place is not replaced', () => {
  const { adopted, environment, layout } = place('venv')
  keepOwnEnvironment(adopted, layout)
  rmSync(environment)
  mkdirSync(environment)
  writeFileSync(join(environment, 'mark'), 'new')
  expect(() => putLink(environment, '/elsewhere')).toThrow('it is no longer a link')
  expect(readFileSync(join(environment, 'mark'), 'utf8')).toBe('new')
})
