/** How a Python project is started: its package app, a server that its dependencies name, or a file that is usual. */
import type { Files, Found, Start } from './guessed.ts'

const entries = ['main.py', 'app.py', 'server.py']
/** Where the object of a web framework is usual. */
const modules = ['wsgi.py', 'asgi.py', 'app/wsgi.py', 'app/asgi.py', 'app/main.py', 'main.py', 'app.py']

/** Undefined: it is no Python project. */
export function pythonStart(files: Files): Start | undefined {
  const known = ['requirements.txt', 'pyproject.toml', 'app/__main__.py', 'manage.py', ...entries, ...modules]
  if (!known.some(file => files.has(file))) return undefined
  const notes =
    !files.has('requirements.txt') && files.has('pyproject.toml')
      ? ['there is no requirements.txt: a deploy installs what that file names, so commit one']
      : []
  const start = startOf(files, notes)
  if (!start) return { notes }
  const socket = takesSocket(files) && start.value[0] === 'python' ? { socket: true } : {}
  return { processes: { value: [{ name: 'web', start: start.value, ...socket }], why: start.why }, notes }
}

function startOf(files: Files, notes: string[]): Found<string[]> | undefined {
  if (files.has('app/__main__.py')) return { value: ['python', '-m', 'app'], why: 'there is app/__main__.py' }
  const server = ['gunicorn', 'uvicorn'].find(name => depends(files, name))
  const django = djangoModule(files)
  if (django) {
    if (server)
      return served(server, `${django}.${server === 'uvicorn' ? 'asgi' : 'wsgi'}`, 'application', 'manage.py')
    notes.push('manage.py is there, and neither gunicorn nor uvicorn: its own server is for trying only')
    return undefined
  }
  for (const file of server ? modules : []) {
    const name = objectIn(files.get(file))
    if (name) return served(server!, file.replace(/\.py$/, '').replaceAll('/', '.'), name, file)
  }
  const entry = entries.find(file => files.has(file))
  return entry ? { value: ['python', entry], why: `there is ${entry}` } : undefined
}

/** gunicorn takes its port from PORT by itself, uvicorn only as an argument. */
function served(server: string, module: string, name: string, file: string): Found<string[]> {
  const target = `${module}:${name}`
  const why = `${file}, and ${server} among its dependencies`
  return server === 'gunicorn'
    ? { value: ['gunicorn', target], why }
    : { value: ['uvicorn', target, '--host', '0.0.0.0', '--port', '$PORT'], why }
}

/** In requirements.txt a line of its own, in pyproject.toml an entry of a list. */
function depends(files: Files, name: string): boolean {
  const end = '(?![\\w-])'
  return (
    new RegExp(`^\\s*${name}${end}`, 'im').test(files.get('requirements.txt') ?? '') ||
    new RegExp(`["']${name}${end}`, 'i').test(files.get('pyproject.toml') ?? '')
  )
}

const djangoModule = (files: Files): string | undefined =>
  /DJANGO_SETTINGS_MODULE["']\s*,\s*["']([A-Za-z_]\w*)(?:\.\w+)*\.settings["'.]/.exec(
    files.get('manage.py') ?? '',
  )?.[1]

/** `app = FastAPI()` and the like, at the beginning of a line. */
const objectIn = (text: string | undefined): string | undefined =>
  /^(app|application)\s*(?::[^=\n]{1,60})?=(?!=)/m.exec(text ?? '')?.[1]

/** The kit does. */
const takesSocket = (files: Files): boolean =>
  /quarterdeck[-_]kit/i.test(`${files.get('requirements.txt') ?? ''}\n${files.get('pyproject.toml') ?? ''}`)
