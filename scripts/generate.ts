/**
 * Writes what is made from the code: JSON Schemas and the OpenAPI document, and the handbook’s reference pages. With --check it only
 * compares.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { jsonSchemas, openapi } from '../contract/src/index.ts'
import { inProject } from './project.mjs'
import { referencePages } from './reference/index.ts'

const wanted = new Map<string, string>([
  ['contract/generated/openapi.json', text(openapi())],
  ...[...jsonSchemas()].map(([name, schema]): [string, string] => [
    `contract/generated/schemas/${name}.json`,
    text(schema),
  ]),
  ...[...(await referencePages())].map(([name, page]): [string, string] => [
    `handbook/reference/${name}`,
    page,
  ]),
])

const stale = [...wanted].filter(([file, content]) => read(file) !== content).map(([file]) => file)
const left = ['contract/generated', 'handbook/reference'].flatMap(existing).filter(file => !wanted.has(file))

if (process.argv.includes('--check')) {
  for (const file of stale) process.stderr.write(`${file} is not current\n`)
  for (const file of left) process.stderr.write(`${file} is no longer made\n`)
  if (stale.length + left.length > 0) {
    process.stderr.write('Run npm run generate.\n')
    process.exitCode = 1
  }
} else {
  for (const file of stale) {
    mkdirSync(dirname(inProject(file)), { recursive: true })
    writeFileSync(inProject(file), wanted.get(file)!)
  }
  for (const file of left) rmSync(inProject(file))
  process.stdout.write(`${stale.length} written, ${left.length} removed, ${wanted.size} in all\n`)
}

function text(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function read(file: string): string | undefined {
  try {
    return readFileSync(inProject(file), 'utf8')
  } catch {
    return undefined
  }
}

function existing(folder: string): string[] {
  try {
    return readdirSync(inProject(folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(folder, entry.parentPath.slice(inProject(folder).length), entry.name))
  } catch {
    return []
  }
}
