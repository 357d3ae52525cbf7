/** The files of a new project: what the templates share, those of its runtime, and the kit. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from '../root.ts'
import { kitFiles } from './kit-files.ts'
import type { NewFile } from './new-files.ts'
import { type Runtime, runtimes } from './runtimes.ts'
import type { Wish } from './wish.ts'

const templates = join(root, 'templates')

/** What is left in a template by trying it where it lies. */
const leftOver = new Set(['node_modules', '.venv', '__pycache__', '.mypy_cache', '.ruff_cache'])

/** As the templates are written: a project that could be anybody’s. */
const written = /github\.com\/acme\/hello-quarterdeck|acme\/hello-quarterdeck|hello-quarterdeck/g

export function projectPaths(runtime: Runtime): string[] {
  const made = runtime === 'node' ? ['package-lock.json'] : []
  return [...templateFiles(runtime).map(({ path }) => path), ...made, runtimes[runtime].kit].sort()
}

export async function projectFiles(wish: Wish, signal?: AbortSignal): Promise<NewFile[]> {
  const filled = templateFiles(wish.runtime).map(({ path, source }) => ({
    path,
    content: filledIn(readFileSync(source, 'utf8'), wish),
    executable: (statSync(source).mode & 0o100) !== 0,
  }))
  return [...filled, ...(await kitFiles(wish.runtime, filled, signal))]
}

const templateFiles = (runtime: Runtime) =>
  ['shared', runtime].flatMap(name => {
    const directory = join(templates, name)
    return [...filesIn(directory)].map(source => ({ path: relative(directory, source), source }))
  })

function* filesIn(directory: string): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (leftOver.has(entry.name)) continue
    if (entry.isDirectory()) yield* filesIn(path)
    else yield path
  }
}

function filledIn(text: string, { name, repository, forge }: Wish): string {
  return text.replace(written, found =>
    found.startsWith('github') ? `${forge}/${repository}` : found.startsWith('acme') ? repository : name,
  )
}
