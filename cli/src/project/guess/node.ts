/** How a Node project is started: its start script, `main`, or a file that is usual. */
import { commandOf } from './command-line.ts'
import type { Files, Found, Start } from './guessed.ts'

const usual = ['app/main.js', 'server.js', 'main.js', 'index.js', 'app.js']

/** Undefined: it is no Node project. */
export function nodeStart(files: Files): Start | undefined {
  const text = files.get('package.json')
  if (text === undefined) return undefined
  const manifest = objectIn(text)
  if (!manifest) return { notes: ['package.json is there, and is not JSON'] }
  const notes = files.has('package-lock.json')
    ? []
    : [
        `there is no package-lock.json${['yarn.lock', 'pnpm-lock.yaml'].some(file => files.has(file)) ? ', only that of another program' : ''}: a deploy installs by npm’s lock file, so commit one`,
      ]
  const start = startOf(manifest, files)
  const socket = takesSocket(manifest) && start?.value[0] === 'node' ? { socket: true } : {}
  if (!start) return { notes }
  return { processes: { value: [{ name: 'web', start: start.value, ...socket }], why: start.why }, notes }
}

type Manifest = Readonly<Record<string, unknown>>

function startOf(manifest: Manifest, files: Files): Found<string[]> | undefined {
  const { start } = recordIn(manifest.scripts)
  if (typeof start === 'string' && start.trim() !== '') {
    const read = commandOf(start)
    return 'words' in read && !read.words.some(word => word.includes('$PORT'))
      ? { value: read.words, why: 'its start script' }
      : { value: ['npm', 'start'], why: 'its start script needs a shell, which npm brings' }
  }
  const { main } = manifest
  if (typeof main === 'string' && /^(?!-)[\w./-]+$/.test(main))
    return { value: ['node', main], why: 'main in its package.json' }
  const file = usual.find(name => files.has(name))
  return file ? { value: ['node', file], why: `there is ${file}` } : undefined
}

/** The kit does. */
const takesSocket = ({ dependencies }: Manifest): boolean =>
  Object.hasOwn(recordIn(dependencies), '@quarterdeck/kit')

function objectIn(text: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Manifest)
      : undefined
  } catch {
    return undefined
  }
}

const recordIn = (value: unknown): Manifest =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Manifest) : {}
