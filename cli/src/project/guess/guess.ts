/** From the files of a repository to what a project of it would be, each with its reason. It reads nothing itself. */
import {
  defaultPaths,
  type RepositorySettings,
  type Runtime,
  repositorySettings,
  repositorySettingsFile,
} from '@quarterdeck/contract'
import { parseDocument } from 'yaml'
import type { Files, Found, Guess, GuessedProcess, Start } from './guessed.ts'
import { nodeStart } from './node.ts'
import { fromProcfile } from './procfile.ts'
import { pythonStart } from './python.ts'

/** Every file that a guess may need. */
export const lookedFor = [
  repositorySettingsFile,
  ...['package.json', 'package-lock.json', 'requirements.txt', 'pyproject.toml', 'Procfile', 'Dockerfile'],
  ...['app/__main__.py', 'manage.py', 'wsgi.py', 'asgi.py', 'main.py', 'app.py', 'server.py'],
  ...[
    'app/main.py',
    'app/wsgi.py',
    'app/asgi.py',
    'app/main.js',
    'server.js',
    'index.js',
    'app.js',
    'main.js',
  ],
  ...['.python-version', '.nvmrc', 'yarn.lock', 'pnpm-lock.yaml'],
]

export function guess(files: Files, top: readonly string[]): Guess {
  const notes: string[] = []
  const said = saidIn(files, notes)
  const procfile = said ? undefined : fromProcfile(files, notes)
  const [python, node] = [pythonStart(files), nodeStart(files)]
  const runtime = runtimeOf(files, said?.start ?? procfile?.processes.value[0]?.start, { python, node })
  const own = runtime?.value === 'node' ? node : runtime?.value === 'python' ? python : undefined
  notes.push(...(own?.notes ?? []), ...hintsOf(files, runtime?.value))
  const processes = said?.processes ?? procfile?.processes ?? own?.processes
  const paths = runtime && pathsOf(runtime.value, top)
  const startHint = processes ? undefined : dockerCommand(files)
  return {
    ...(runtime && { runtime }),
    ...(processes && { processes }),
    ...(procfile?.beforeRestart && { beforeRestart: procfile.beforeRestart }),
    ...(paths && { paths }),
    ...(startHint && { startHint }),
    notes,
  }
}

/** What the repository itself says goes before anything that could be guessed. */
function saidIn(
  files: Files,
  notes: string[],
): { start: string[]; processes: Found<GuessedProcess[]> } | undefined {
  const text = files.get(repositorySettingsFile)
  if (text === undefined) return undefined
  const settings = settingsIn(text)
  if (!settings) {
    notes.push(`${repositorySettingsFile} is there, and cannot be read: a deploy would fail`)
    return undefined
  }
  const processes = settings.processes ?? (settings.start && [{ name: 'web', start: settings.start }])
  if (!processes) return undefined
  const kept = processes.map(({ name, start, ...more }) => ({
    ...{ name, start },
    ...('timer' in more && more.timer ? { timer: more.timer } : {}),
    ...('socket' in more && more.socket ? { socket: true } : {}),
  }))
  return { start: kept[0]!.start, processes: { value: kept, why: `${repositorySettingsFile} says so` } }
}

function settingsIn(text: string): RepositorySettings | undefined {
  try {
    const yaml = parseDocument(text)
    return yaml.errors.length > 0
      ? undefined
      : repositorySettings.safeParse(yaml.toJS({ maxAliasCount: 10 }) ?? {}).data
  } catch {
    return undefined
  }
}

interface Starts {
  python: Start | undefined
  node: Start | undefined
}

/** Python projects have a package.json for their assets, so the file alone does not decide where both are there. */
function runtimeOf(
  files: Files,
  start: readonly string[] | undefined,
  { python, node }: Starts,
): Found<Runtime> | undefined {
  const program = start?.[0] ?? ''
  if (/^(node|npm|npx)$/.test(program)) return { value: 'node', why: `it is started with ${program}` }
  if (/^(python[\d.]*|gunicorn|uvicorn|flask|celery)$/.test(program))
    return { value: 'python', why: `it is started with ${program}` }
  if (node && !python) return { value: 'node', why: 'there is a package.json' }
  const pythonFile = ['requirements.txt', 'pyproject.toml'].find(file => files.has(file))
  if (python && !node) {
    return { value: 'python', why: pythonFile ? `there is a ${pythonFile}` : 'there are Python files' }
  }
  if (python?.processes && !node?.processes)
    return { value: 'python', why: 'its package.json has nothing to start' }
  if (node?.processes && !python?.processes)
    return { value: 'node', why: 'nothing of its Python files can be started' }
  return undefined
}

const neverDeployed = /^(\.|tests?\/|docs?\/|examples?\/|node_modules\/|README|LICENSE|CHANGELOG)/i
const isCode = (name: string) =>
  name.endsWith('/') ||
  /\.(py|[cm]?[jt]s|toml)$|^requirements.*\.txt$|^package(-lock)?\.json$|^Procfile$/.test(name)

/** Where the code is not in app/, a push would else never be deployed. */
function pathsOf(runtime: Runtime, top: readonly string[]): Found<string[]> | undefined {
  if (top.length === 0 || top.includes('app/')) return undefined
  const code = top.filter(name => !neverDeployed.test(name) && isCode(name) && /^[^/\s]\S*$/.test(name))
  const paths = [...new Set([...code, ...defaultPaths[runtime].filter(path => top.includes(path))])].sort()
  return paths.length > 0 && paths.length <= 50
    ? { value: paths, why: 'there is no app/, so all that looks like code counts' }
    : undefined
}

function hintsOf(files: Files, runtime: Runtime | undefined): string[] {
  const python = /^(\d+\.\d+)/.exec(files.get('.python-version')?.trim() ?? '')?.[1]
  const node = /^v?(\d{1,3})/.exec(files.get('.nvmrc')?.trim() ?? '')?.[1]
  const exposed = /^\s*EXPOSE\s+(\d{1,5})/im.exec(files.get('Dockerfile') ?? '')?.[1]
  return [
    ...(python && runtime !== 'node'
      ? [
          `.python-version names ${python}: if that is not the machine’s own, add --interpreter python${python}`,
        ]
      : []),
    ...(node && runtime !== 'python'
      ? [`.nvmrc names Node ${node}: if that is not the machine’s own, add --interpreter with its path`]
      : []),
    ...(exposed
      ? [`its Dockerfile exposes ${exposed}: if it listens there whatever PORT says, add --port ${exposed}`]
      : []),
  ]
}

/** The form that needs no shell. */
function dockerCommand(files: Files): string[] | undefined {
  const [, list] = /^\s*CMD\s+(\[.*\])\s*$/im.exec(files.get('Dockerfile') ?? '') ?? []
  try {
    const words: unknown = JSON.parse(list ?? 'null')
    const isWords = Array.isArray(words) && words.every(word => typeof word === 'string' && word !== '')
    return isWords && words.length > 0 ? words : undefined
  } catch {
    return undefined
  }
}
