/** A `package.json` of a release: what of it decides which packages are installed. */
import { readFile, realpath, stat } from 'node:fs/promises'
import { join, normalize } from 'node:path'
import { RunFault } from '@quarterdeck/contract'
import { isInside, localPath } from './local-packages.ts'

const maxBytes = 64 * 1024 * 1024

/** Version, name, description and the like change no package. */
const counted = [
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'overrides',
  'bundleDependencies',
  'bundledDependencies',
  'engines',
  'os',
  'cpu',
  'libc',
  'workspaces',
]

/** Those of the project itself that `npm ci` runs, in its order. */
const lifecycle = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
]

export type JsonObject = Readonly<Record<string, unknown>>

export interface Manifest {
  /** In the release; empty for its root. */
  readonly directory: string
  readonly content: JsonObject
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Null: there is none. */
export async function readManifest(release: string, directory: string): Promise<Manifest | null> {
  const content = await readJson(release, join(directory, 'package.json'))
  return content && { directory, content }
}

/** Null: there is no such file. `release` is its real path. */
export async function readJson(release: string, path: string): Promise<JsonObject | null> {
  const text = await readInside(release, path)
  if (text === null) return null
  try {
    const content: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (isObject(content)) return content
  } catch (error) {
    throw new RunFault('install_failed', `${path} is not JSON: ${(error as Error).message}.`)
  }
  throw new RunFault('install_failed', `${path} is not a JSON object.`)
}

export async function readInside(release: string, path: string): Promise<string | null> {
  const real = await realpath(join(release, path)).catch(() => null)
  if (real === null) return null
  if (!isInside(release, real)) throw new RunFault('install_failed', `${path} leads out of the release.`)
  const status = await stat(real)
  if (!status.isFile()) throw new RunFault('install_failed', `${path} is not a file.`)
  if (status.size > maxBytes) throw new RunFault('install_failed', `${path} is larger than 64 MiB.`)
  return await readFile(real, 'utf8')
}

/** What identifies it: the fields that decide, and the scripts that run while it is installed. */
export function manifestIdentity({ directory, content }: Manifest): unknown[] {
  const fields = counted.flatMap(name => (name in content ? [[name, content[name]]] : []))
  return [directory, fields, scriptsOf(content)]
}

export function scriptsOf({ scripts }: JsonObject): unknown[] {
  return isObject(scripts) ? lifecycle.flatMap(name => (scripts[name] ? [[name, scripts[name]]] : [])) : []
}

export function countOf({ content }: Manifest): number {
  return new Set(
    ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap(field =>
      Object.keys(object(content[field])),
    ),
  ).size
}

/** Paths in the release that are named as packages, such as `file:lib` or `./a.tgz`; absolute ones are not in it. */
export function localsOf({ directory, content }: Manifest, fields: readonly string[]): string[] {
  const asked = fields.flatMap(field => Object.values(object(content[field])))
  return asked.flatMap(spec => {
    if (typeof spec !== 'string' || !/^(file:|\.{1,2}(\/|$))|^[^:@]+\.(tgz|tar|tar\.gz)$/i.test(spec))
      return []
    const path = localPath(spec)
    return /^[/~]/.test(path) ? [] : [normalize(join(directory, path)).replace(/\/$/, '')]
  })
}

const object = (value: unknown): JsonObject => (isObject(value) ? value : {})
