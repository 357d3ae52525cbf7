/** Writes what is made from the contract: JSON Schemas and the OpenAPI document. With --check it only compares. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { jsonSchemas, openapi } from '../contract/src/index.ts'

const target = fileURLToPath(new URL('../contract/generated/', import.meta.url))

const wanted = new Map<string, string>([
  ['openapi.json', text(openapi())],
  ...[...jsonSchemas()].map(([name, schema]): [string, string] => [`schemas/${name}.json`, text(schema)]),
])

const stale = [...wanted].filter(([file, content]) => read(file) !== content).map(([file]) => file)
const left = existing().filter(file => !wanted.has(file))

if (process.argv.includes('--check')) {
  for (const file of stale) process.stderr.write(`contract/generated/${file} is not current\n`)
  for (const file of left) process.stderr.write(`contract/generated/${file} is no longer made\n`)
  if (stale.length + left.length > 0) {
    process.stderr.write('Run npm run generate.\n')
    process.exitCode = 1
  }
} else {
  for (const file of stale) {
    mkdirSync(dirname(join(target, file)), { recursive: true })
    writeFileSync(join(target, file), wanted.get(file)!)
  }
  for (const file of left) rmSync(join(target, file))
  process.stdout.write(`${stale.length} written, ${left.length} removed, ${wanted.size} in all\n`)
}

function text(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function read(file: string): string | undefined {
  try {
    return readFileSync(join(target, file), 'utf8')
  } catch {
    return undefined
  }
}

function existing(): string[] {
  try {
    return readdirSync(target, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.json'))
  } catch {
    return []
  }
}
