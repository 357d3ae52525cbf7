/** What the projects on a server under test are made of: Python alone, and nothing from the internet. */

/** Notes each start in its data, and answers `/try` with what it can get hold of by `attempts.py`, where it has one. */
export const service = `
import http.server, json, os, pathlib, signal, socket, sys, threading

sha = pathlib.Path('REVISION').read_text().strip()
with open(os.path.join(os.environ['HOME'], 'starts'), 'a') as starts:
    starts.write(sha + '\\n')
if pathlib.Path('exits').exists():
    sys.exit(3)

def greeting():
    try:
        import greeting
        return {'text': greeting.text, 'report': getattr(greeting, 'report', None)}
    except ImportError:
        return {'text': None}

def tried():
    sys.path.insert(0, os.getcwd())
    import attempts
    return attempts.report()

answers = {
    '/healthz': lambda: {'ok': True},
    '/readyz': lambda: {'ok': True},
    '/version': lambda: {'name': os.environ['QUARTERDECK_NAME'], 'sha': sha},
    '/greeting': greeting,
    '/try': tried,
}

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(json.dumps(answers[self.path]()).encode() if self.path in answers else b'{}')

    def do_POST(self):
        self.answer(self.rfile.read(int(self.headers['Content-Length'])))

    def answer(self, body):
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass

class Server(http.server.ThreadingHTTPServer):
    # What is under way when it is told to end is answered.
    daemon_threads = False
    request_queue_size = 128

    def server_bind(self):
        if 'LISTEN_FDS' not in os.environ:
            return super().server_bind()
        self.socket.close()
        self.socket = socket.socket(fileno=3)
        self.server_name, self.server_port = 'passed', self.socket.getsockname()[1]

    def server_activate(self):
        if 'LISTEN_FDS' not in os.environ:
            super().server_activate()

server = Server(('0.0.0.0', int(os.environ['PORT'])), Handler)
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
server.serve_forever(poll_interval=0.02)
server.server_close()
`

/** A package of the repository whose build runs \`code\`, in which \`report\` can be set; needs no setuptools. */
export const builtPackage = (text: string, code: string): Record<string, string> => ({
  'requirements.txt': './lib\n',
  'lib/pyproject.toml': '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
  'lib/backend.py': `
import os, subprocess, sys, time, zipfile

report = None

def build_wheel(directory, settings=None, metadata=None):
    global report
${code.replace(/^/gm, '    ')}
    name = 'greeting-1.0-py3-none-any.whl'
    with zipfile.ZipFile(os.path.join(directory, name), 'w') as wheel:
        info = 'greeting-1.0.dist-info'
        wheel.writestr('greeting.py', f'text = {${JSON.stringify(text)}!r}\\nreport = {report!r}\\n')
        wheel.writestr(f'{info}/METADATA', 'Metadata-Version: 2.1\\nName: greeting\\nVersion: 1.0\\n')
        wheel.writestr(f'{info}/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
        wheel.writestr(f'{info}/RECORD', '')
    return name
`,
})

/** Tries what a hostile project would: each by its name, with what came of it. */
export const attempts = `
import os, pathlib

home = '/var/lib/quarterdeck'
own, other = f'{home}/projects/hostile', f'{home}/projects/other'

def write(directory):
    path = os.path.join(directory, 'hostile-was-here')
    with open(path, 'w') as file:
        file.write('x')
    os.remove(path)

def link(path):
    os.symlink('releases/x', path)
    os.remove(path)

def release():
    return next(entry.path for entry in os.scandir(f'{own}/releases') if len(entry.name) == 40)

tries = {
    'write releases': lambda: write(f'{own}/releases'),
    'write a release': lambda: write(release()),
    'write work': lambda: write(f'{own}/work'),
    'write hooks': lambda: write(f'{own}/work/.git'),
    'write environments': lambda: write(f'{own}/environments'),
    'write own data': lambda: write(f'{own}/data'),
    'write the other data': lambda: write(f'{other}/data'),
    'write the other work': lambda: write(f'{other}/work'),
    'write the other cache': lambda: write(f'{home}/cache/other'),
    'list the other cache': lambda: os.listdir(f'{home}/cache/other'),
    'write agent': lambda: write(f'{home}/agent'),
    'write control': lambda: write(f'{home}/control'),
    'write etc': lambda: write('/etc/systemd/system'),
    'replace current': lambda: link(f'{own}/current.hostile'),
    'read the other data': lambda: pathlib.Path(f'{other}/data/starts').read_text(),
    'list the other data': lambda: os.listdir(f'{other}/data'),
    'list agent': lambda: os.listdir(f'{home}/agent'),
    'list control': lambda: os.listdir(f'{home}/control'),
    'read control': lambda: pathlib.Path(f'{home}/control/operator.token').read_text(),
    'read shadow': lambda: pathlib.Path('/etc/shadow').read_text(),
    'become root': lambda: os.setuid(0),
}

def report():
    done = {}
    for name, attempt in tries.items():
        try:
            attempt()
            done[name] = 'done'
        except OSError as error:
            done[name] = 'refused'
    return {'uid': os.getuid(), 'done': sorted(name for name in done if done[name] == 'done'), 'tried': len(done)}
`

/** For two builds at once: what the one leaves in its cache, and how the other tries to get at it and at its files. */
export const reach = `
import os, time

cache = os.environ['PIP_CACHE_DIR']

def leave(name):
    os.makedirs(cache, exist_ok=True)
    open(os.path.join(cache, name), 'w').close()

def wait_for_spy():
    for _ in range(600):
        if os.path.exists(os.path.join(cache, 'spied')):
            return
        time.sleep(0.1)

def into(project):
    tried, done = 0, []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/cgroup') as cgroup:
                if f'qd-build-{project}-' not in cgroup.read():
                    continue
        except OSError:
            continue
        for place in ['environ', 'root/var/lib/quarterdeck/cache', f'root/var/lib/quarterdeck/projects/{project}/environments']:
            tried += 1
            try:
                path = f'/proc/{pid}/{place}'
                os.listdir(path) if place.startswith('root') else open(path).read()
                done.append(place)
            except OSError:
                pass
    return {'tried': tried, 'done': sorted(set(done)), 'cached': os.path.exists(os.path.join(cache, 'cached'))}
`
