import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runtimes } from '../../init/runtimes.ts'
import { root } from '../../root.ts'
import { addressOf, isAddress } from './address.ts'
import { guess, lookedFor } from './guess.ts'

const guessed = (files: Record<string, string>, top?: string[]) => {
  const names = Object.keys(files).map(path => (path.includes('/') ? `${path.split('/')[0]}/` : path))
  const { notes, ...found } = guess(new Map(Object.entries(files)), top ?? [...new Set(names)])
  return { ...found, notes: notes.join('\n') }
}

/** In a line: what it is started with. */
const startOf = (files: Record<string, string>) => {
  const { runtime, processes } = guessed(files)
  const started = processes?.value.map(({ name, start }) => `${name}: ${start.join(' ')}`) ?? []
  return [runtime?.value ?? '?', ...started].join(' | ')
}

const script = (start: string) => JSON.stringify({ scripts: { start } })
const manage = `os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mysite.settings")`

test.each<[string, Record<string, string>, string]>([
  ['nothing', {}, '?'],
  ['a readme', { 'README.md': 'x' }, '?'],
  ['a package app', { 'app/__main__.py': '', 'requirements.txt': '' }, 'python | web: python -m app'],
  ['a package app alone', { 'app/__main__.py': '' }, 'python | web: python -m app'],
  ['main.py', { 'main.py': 'print()', 'pyproject.toml': '' }, 'python | web: python main.py'],
  ['requirements alone', { 'requirements.txt': 'flask' }, 'python'],
  [
    'gunicorn and app.py',
    { 'app.py': 'app = Flask(__name__)', 'requirements.txt': 'flask\ngunicorn==23.0\n' },
    'python | web: gunicorn app:app',
  ],
  [
    'a library whose name begins like gunicorn',
    { 'app.py': 'app = Flask(__name__)', 'requirements.txt': 'gunicorn-color' },
    'python | web: python app.py',
  ],
  [
    'uvicorn and app/main.py',
    {
      'app/main.py': 'app: FastAPI = FastAPI()',
      'pyproject.toml': 'dependencies = ["uvicorn[standard]>=0.30"]',
    },
    'python | web: uvicorn app.main:app --host 0.0.0.0 --port $PORT',
  ],
  [
    'uvicorn without an object',
    { 'main.py': 'uvicorn.run(make())', 'requirements.txt': 'uvicorn' },
    'python | web: python main.py',
  ],
  [
    'Django with gunicorn',
    { 'manage.py': manage, 'requirements.txt': 'Django\ngunicorn' },
    'python | web: gunicorn mysite.wsgi:application',
  ],
  ['Django alone', { 'manage.py': manage, 'requirements.txt': 'Django' }, 'python'],
  ['a start script', { 'package.json': script('node app/main.js') }, 'node | web: node app/main.js'],
  ['a start script of a tool', { 'package.json': script('next start') }, 'node | web: next start'],
  ['a start script for a shell', { 'package.json': script('A=1 node x && y') }, 'node | web: npm start'],
  ['a start script with a port', { 'package.json': script('serve -l $PORT') }, 'node | web: npm start'],
  ['main', { 'package.json': '{"main":"lib/x.js"}' }, 'node | web: node lib/x.js'],
  [
    'main that is an option',
    { 'package.json': '{"main":"--eval=x"}', 'index.js': '' },
    'node | web: node index.js',
  ],
  ['a usual file', { 'package.json': '{}', 'server.js': '' }, 'node | web: node server.js'],
  ['a package.json alone', { 'package.json': '{}' }, 'node'],
  ['no JSON', { 'package.json': '{,' }, 'node'],
  ['JSON that is no manifest', { 'package.json': '[1]' }, 'node'],
  ['odd types', { 'package.json': '{"scripts":[],"main":5,"dependencies":"x"}' }, 'node'],
  [
    'Python with assets',
    { 'package.json': '{}', 'app/__main__.py': '', 'requirements.txt': '' },
    'python | web: python -m app',
  ],
  ['both', { 'package.json': script('node x'), 'app/__main__.py': '' }, '?'],
  [
    'a Procfile',
    {
      Procfile: `# x\nworker: python -m w\nweb: gunicorn app:app --bind 0.0.0.0:\${PORT} -w 2\n`,
      'requirements.txt': '',
    },
    'python | web: gunicorn app:app -w 2 | worker: python -m w',
  ],
  [
    'a Procfile that decides the runtime',
    { Procfile: 'web: node x.js', 'package.json': '{}', 'app/__main__.py': '' },
    'node | web: node x.js',
  ],
  [
    'a Procfile with a port for uvicorn',
    { Procfile: 'web: uvicorn a:b --port $PORT', 'requirements.txt': '' },
    'python | web: uvicorn a:b --port $PORT',
  ],
  [
    'a Procfile for a shell',
    { Procfile: 'web: cd x && python y', 'main.py': '' },
    'python | web: python main.py',
  ],
  [
    'what the repository says itself',
    {
      'deploy/quarterdeck.yaml':
        'processes:\n- {name: web, start: [python, x.py]}\n- {name: tidy, start: [t], timer: {at: "03:30"}}',
      Procfile: 'web: python y.py',
      'requirements.txt': '',
    },
    'python | web: python x.py | tidy: t',
  ],
  [
    'its short form',
    { 'deploy/quarterdeck.yaml': 'start: [node, x]', 'package.json': '{}' },
    'node | web: node x',
  ],
  [
    'what it says wrongly',
    { 'deploy/quarterdeck.yaml': 'start: 5', 'main.py': '' },
    'python | web: python main.py',
  ],
  [
    'what it does not say',
    { 'deploy/quarterdeck.yaml': 'health: {timeout_s: 5}', 'main.py': '' },
    'python | web: python main.py',
  ],
  ['no YAML', { 'deploy/quarterdeck.yaml': 'a: [', 'main.py': '' }, 'python | web: python main.py'],
])('of %s is guessed', (_what, files, expected) => {
  expect(startOf(files)).toBe(expected)
})

test.each([
  '$(reboot)',
  '`id`',
  'a | b',
  'a; b',
  'a > b',
  '$HOME/x',
  'X=1 y',
  'a \\b',
  '*',
  '~/x',
  "it's",
  'a && b',
])('a Procfile’s %s is not taken for words', command => {
  const { processes, notes } = guessed({ Procfile: `web: ${command}` })
  expect(processes).toBeUndefined()
  expect(notes).toContain('web in the Procfile needs a shell (')
})

test('a release line is what runs before the restart', () => {
  const { beforeRestart } = guessed({ Procfile: 'release: python manage.py migrate\nweb: python x' })
  expect(beforeRestart?.value).toEqual(['python', 'manage.py', 'migrate'])
})

test.each<[Record<string, string>, string]>([
  [{ 'main.py': '', '.python-version': '3.11.4\n' }, '--interpreter python3.11'],
  [{ 'package.json': '{}', '.nvmrc': 'v22' }, 'Node 22'],
  [{ 'package.json': '{}' }, 'no package-lock.json: a deploy'],
  [{ 'package.json': '{}', 'yarn.lock': '' }, 'only that of another program'],
  [{ 'pyproject.toml': '' }, 'no requirements.txt'],
  [{ Dockerfile: 'FROM x\nEXPOSE 8080\n' }, '--port 8080'],
  [{ 'manage.py': manage }, 'neither gunicorn nor uvicorn'],
  [{ 'package.json': '\u0001' }, 'is not JSON'],
  [{ 'deploy/quarterdeck.yaml': 'strat: [x]' }, 'cannot be read'],
])('of %j it is said: %s', (files, sentence) => {
  expect(guessed(files).notes).toContain(sentence)
})

test('a Dockerfile is a hint, and only without a shell', () => {
  expect(guessed({ Dockerfile: 'CMD ["python", "x.py"]' }).startHint).toEqual(['python', 'x.py'])
  expect(guessed({ Dockerfile: 'CMD python x.py' }).startHint).toBeUndefined()
  expect(guessed({ Dockerfile: 'CMD [1]\n' }).startHint).toBeUndefined()
  expect(guessed({ Dockerfile: 'CMD ["a"]', 'main.py': '' }).startHint).toBeUndefined()
})

test('without app/ all that looks like code counts for a push', () => {
  const top = ['src/', 'tests/', '.github/', 'README.md', 'main.py', 'requirements.txt', 'a b.py']
  expect(guessed({ 'main.py': '' }, top).paths?.value).toEqual(['main.py', 'requirements.txt', 'src/'])
  expect(guessed({ 'main.py': '' }, [...top, 'app/']).paths).toBeUndefined()
})

test.each(['python', 'node'] as const)('the template for %s leaves nothing to ask', runtime => {
  const places = ['shared', runtime].map(name => join(root, 'templates', name))
  const files = new Map(
    lookedFor.flatMap(path => {
      const place = places.find(directory => existsSync(join(directory, path)))
      return place ? [[path, readFileSync(join(place, path), 'utf8')] as const] : []
    }),
  )
  // Made by `qd init` with the kit.
  if (runtime === 'node') files.set('package-lock.json', '{}')
  const top = places.flatMap(place =>
    readdirSync(place, { withFileTypes: true }).map(entry => entry.name + (entry.isDirectory() ? '/' : '')),
  )
  const found = guess(files, top)
  expect(found).toEqual({
    runtime: { value: runtime, why: expect.any(String) },
    processes: {
      value: [{ name: 'web', start: [...runtimes[runtime].start], socket: true }],
      why: expect.any(String),
    },
    notes: [],
  })
})

test.each([
  ['https://github.com/acme/hello.git', 'acme/hello', 'hello'],
  ['https://ana@git.example.com:8443/acme/Hello_World', 'acme/Hello_World', 'hello-world'],
  ['git@github.com:acme/hello.git', 'acme/hello', 'hello'],
  ['ssh://git@host:22/acme/hello', 'acme/hello', 'hello'],
  ['file:///srv/git/acme/hello.git/', 'acme/hello', 'hello'],
  ['/srv/git/acme/hello', 'acme/hello', 'hello'],
  ['https://gitlab.com/group/sub/hello.git', undefined, 'hello'],
  ['/hello.git', undefined, 'hello'],
  ['https://example.com/acme/123', 'acme/123', ''],
])('%s tells %s and %s', (url, repository, name) => {
  expect(isAddress(url)).toBe(true)
  expect(addressOf(url)).toMatchObject({ repository, name })
})

test('a name is no address, and what no repository can have is refused without repeating it', () => {
  expect(['hello', 'a-b', 'Hello', 'x.y'].map(isAddress)).toEqual([false, false, false, false])
  for (const url of ['https://ana:hunter22@example.com/a/b', 'ext::sh -c id', 'ftp://x/y', '-x@y:z'])
    expect(() => addressOf(url)).toThrow(/cannot be: (?!.*hunter22)/)
})
