/** A remote with a small Python service in it, as a developer has one. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'

/** Tells its commit, and writes down each of its starts in its home, which is `data/`. */
const service = `
import http.server, json, os, pathlib, sys, time

sha = pathlib.Path('REVISION').read_text().strip()
with open(pathlib.Path.home() / 'starts', 'a') as starts:
    starts.write(sha + '\\n')
behaviour = pathlib.Path('behaviour').read_text().strip()
if behaviour == 'exits':
    print('cannot go on: no such table', file=sys.stderr, flush=True)
    sys.exit(3)

answers = {
    '/healthz': {'ok': True},
    '/readyz': {'ok': behaviour != 'unready'},
    '/version': {'name': os.environ['QUARTERDECK_NAME'], 'sha': sha},
}

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        answer = answers.get(self.path)
        body = json.dumps(answer if answer else {'hello': self.path}).encode()
        self.send_response(503 if answer == {'ok': False} else 200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass

print('listening', flush=True)
http.server.ThreadingHTTPServer(('0.0.0.0', int(os.environ['PORT'])), Handler).serve_forever()
`

export interface Repository {
  /** As `git_url`. */
  readonly url: string
  /** Pushes to main; resolves with the commit. */
  push(behaviour: 'good' | 'exits' | 'unready', files?: Record<string, string>): string
}

export function repository(): Repository {
  const directory = temporaryDirectory()
  const [remote, clone] = [join(directory, 'remote.git'), join(directory, 'clone')]
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', clone, '-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH, HOME: directory },
    }).trim()
  mkdirSync(clone)
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote])
  git('init', '--quiet', '--initial-branch=main')
  git('remote', 'add', 'origin', remote)
  let commits = 0
  return {
    url: remote,
    push(behaviour, files = {}) {
      const all = { 'app/__main__.py': service, 'requirements.txt': '', behaviour, ...files }
      for (const [name, text] of Object.entries({ ...all, count: String(++commits) })) {
        mkdirSync(dirname(join(clone, name)), { recursive: true })
        writeFileSync(join(clone, name), text)
      }
      git('add', '--all')
      git('commit', '--quiet', '--message', `feat: change ${commits}`)
      git('push', '--quiet', 'origin', 'main')
      return git('rev-parse', 'HEAD')
    },
  }
}
