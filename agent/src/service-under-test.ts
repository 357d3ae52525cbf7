/** A small Python service whose commit says how it behaves, with the standard library alone. */
import { existsSync } from 'node:fs'
import { type PlacedProject, placedProject } from '@quarterdeck/contract'

/** Debian's own where it is: pyenv's shims are slow. */
const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

export function serviceProject(git_url: string, port: number): PlacedProject {
  return placedProject.parse({
    name: 'hello',
    git_url,
    branch: 'main',
    runtime: 'python',
    interpreter: python,
    processes: [{ name: 'web', start: ['python', 'service.py'], port, timer: null }],
    before_restart: null,
    linked_paths: [],
    health: { timeout_s: 10 },
    limits: {},
  })
}

/** Behaviours, with what they need: `good`, `exits 3`, `late 300`; several go together. */
export function serviceFiles(...behaviour: string[]): Record<string, string> {
  return { 'service.py': source, 'behaviour.txt': `${behaviour.join('\n')}\n` }
}

/**
 * As `service.py` alone it serves; `service.py worker` only lives; `service.py prepare` is for before_restart. Each
 * start is a line in `data/starts.log`. While there is a file `data/broken`, no release of it is ready; one with `needs-data`
 * exits. It tells its variables `APP_…`, and ends with `APP_BROKEN`.
 */
const source = String.raw`
import http.server, json, os, signal, socketserver, sys, threading, time

mode = sys.argv[1] if len(sys.argv) > 1 else 'web'
behaviour = dict((line.split() + [''])[:2] for line in open('behaviour.txt') if line.strip())
sha = open('REVISION').read().strip()
data = os.environ['HOME']
app = {name: value for name, value in os.environ.items() if name.startswith('APP_')}
if app:
    print(mode, 'has', json.dumps(app), *app.values(), flush=True)

def note(file):
    with open(os.path.join(data, file), 'a') as log:
        log.write(f'{mode} {sha} {os.getpid()}\n')

def after(name, do):
    if name in behaviour:
        timer = threading.Timer(int(behaviour[name] or 0) / 1000, do)
        timer.daemon = True
        timer.start()

if mode == 'prepare':
    note('prepared.log')
    print('preparing', sha, 'in', os.getcwd())
    if 'prepare-hangs' in behaviour:
        time.sleep(600)
    sys.exit(int(behaviour.get('prepare-exits', 0)))

note('starts.log')
print(mode, 'starts on', sha)
if 'spews' in behaviour:
    out = sys.stdout.buffer
    out.write(b'\x1b[31mred\x1b[0m \x1b]0;title\x07and \xff\xfe bytes\n' + b'x' * 1_000_000 + b'\nlast words\n')
    out.flush()
if 'APP_BROKEN' in app:
    sys.exit(7)
if 'ignores-sigterm' in behaviour:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if mode == 'worker':
    after('worker-dies', lambda: os._exit(5))
    time.sleep(600)
if 'exits' in behaviour:
    sys.exit(f'cannot go on: {sha}') if behaviour['exits'] == '' else sys.exit(int(behaviour['exits']))
if 'needs-data' in behaviour and os.path.exists(os.path.join(data, 'broken')):
    sys.exit(6)
after('dies-after', lambda: os._exit(4))
time.sleep(int(behaviour.get('late', 0)) / 1000)

calls = []

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if 'hangs' in behaviour:
            time.sleep(600)
        calls.append(self.path)
        if calls.count('/version') > int(behaviour.get('dies-behind', 1_000_000)):
            os._exit(4)
        ready = 'never-ready' not in behaviour and not os.path.exists(os.path.join(data, 'broken'))
        told = '0' * 40 if 'other-sha' in behaviour else sha
        answers = {
            '/healthz': {'ok': 'not-healthy' not in behaviour},
            '/readyz': {'ok': ready, 'checks': [{'name': 'database', 'ok': ready}]},
            '/version': {'sha': told, 'pid': os.getpid(), 'variables': app},
        }
        answer = answers.get(self.path, {})
        body = json.dumps(answer).encode()
        self.send_response(200 if answer.get('ok', True) else 503)
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    # Who asks may hang up, and a log full of that would hide what it is read for.
    def handle_error(self, *_):
        pass

host = '127.0.0.1' if 'loopback-only' in behaviour else os.environ['HOST']
Server((host, 0 if 'wrong-port' in behaviour else int(os.environ['PORT'])), Handler).serve_forever()
`
