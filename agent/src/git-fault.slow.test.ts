import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { gitFault } from './git-fault.ts'
import { projectIn, remoteIn } from './repository-under-test.ts'

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Both ways to the remote fail alike: the first clone and a later fetch. */
async function failuresOf(git_url: string, options: { branch?: string; timeoutMs?: number } = {}) {
  const home = temporaryDirectory()
  const remote = remoteIn(home)
  remote.commit({ 'a.txt': 'one' })
  const cloned = projectIn(home, remote.directory)
  await cloned.workCopy.prepare()
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => null,
      error => error,
    )
  const fetching = projectIn(home, git_url || remote.directory, options)
  await fetching.workCopy.prepare()
  const cloning = projectIn(join(home, 'other'), git_url || remote.directory, options)
  return [await failure(fetching.workCopy.fetch()), await failure(cloning.workCopy.prepare())]
}

test('a remote that is gone from this machine is denied, as one that nobody knows', async () => {
  for (const fault of await failuresOf('/nowhere/hello.git')) {
    expect(fault).toMatchObject({
      code: 'remote_denied',
      message: expect.stringContaining('/nowhere/hello.git'),
    })
  }
})

test.each([401, 403, 404])('an answer of %i is a denial', async status => {
  const server = createHttpServer((_, response) => {
    response.writeHead(status, status === 401 ? { 'www-authenticate': 'Basic realm="git"' } : {}).end()
  })
  const port = await portOf(server)
  for (const fault of await failuresOf(`http://127.0.0.1:${port}/hello.git`)) {
    expect(fault).toMatchObject({ code: 'remote_denied' })
  }
})

test('an answer of 503, a closed port and an unknown host are unreachable', async () => {
  const server = createHttpServer((_, response) => void response.writeHead(503).end())
  const port = await portOf(server)
  const addresses = [
    `http://127.0.0.1:${port}/hello.git`,
    'http://127.0.0.1:1/hello.git',
    'git://127.0.0.1:1/hello.git',
    'ssh://git@127.0.0.1:1/hello.git',
    'http://nobody.invalid/hello.git',
  ]
  for (const address of addresses) {
    for (const fault of await failuresOf(address)) expect(fault).toMatchObject({ code: 'remote_unreachable' })
  }
})

test('a remote that accepts and never answers ends with the time limit', async () => {
  const sockets = new Set<{ destroy(): void }>()
  const server = createServer(socket => void sockets.add(socket))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  const port = await portOf(server)
  for (const scheme of ['http', 'git']) {
    const address = `${scheme}://127.0.0.1:${port}/hello.git`
    for (const fault of await failuresOf(address, { timeoutMs: 300 })) {
      expect(fault).toMatchObject({ code: 'step_timeout' })
    }
  }
})

test('a branch that the remote does not have is said so', async () => {
  for (const fault of await failuresOf('', { branch: 'nope' }))
    expect(fault).toMatchObject({ code: 'branch_missing' })
})

test('a tag is not taken for the branch', async () => {
  const home = temporaryDirectory()
  const remote = remoteIn(home)
  remote.commit()
  remote.git('tag', 'stable')
  const project = projectIn(home, remote.directory, { branch: 'stable' })
  await expect(project.workCopy.prepare()).rejects.toMatchObject({ code: 'branch_missing' })
})

test('an address that would start a program is refused by git itself', async () => {
  const mark = join(temporaryDirectory(), 'it-ran')
  for (const fault of await failuresOf(`ext::touch ${mark}`))
    expect(fault).toMatchObject({ code: 'remote_denied' })
})

const ended = { code: 128, stdout: '', stderr: '', timedOut: false, cancelled: false }

test.each([
  ['fatal: write error: No space left on device\nfatal: fetch-pack: invalid index-pack output', 'disk_full'],
  [
    'git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.',
    'remote_denied',
  ],
  ['ERROR: Repository not found.\nfatal: Could not read from remote repository.', 'remote_denied'],
  ['Host key verification failed.\nfatal: Could not read from remote repository.', 'remote_denied'],
  [
    'No ED25519 host key is known for [::1]:2222 and you have requested strict checking.\r\nHost key verification failed.',
    'host_unknown',
  ],
  [
    '@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\r\nHost key verification failed.\r\n',
    'host_key_changed',
  ],
  ["fatal: unable to access 'https://x/': The requested URL returned error: 301", 'remote_moved'],
  ['fatal: loose object 1234 (stored in .git/objects/12/34) is corrupt', 'working_copy_broken'],
  ['error: RPC failed; curl 28 Operation too slow. Less than 100 bytes/sec', 'remote_unreachable'],
  ['', 'remote_unreachable'],
])('%j is %s', (stderr, code) => {
  expect(gitFault({ ...ended, stderr }, 'remote_unreachable')).toMatchObject({ code })
})

test('the message is the line that tells most, without a password', () => {
  const stderr = [
    "fatal: unable to access 'https://me:hunter2@example.com/x.git/': Could not resolve host: example.com",
    'fatal: Could not read from remote repository.',
    '',
    'Please make sure you have the correct access rights',
    'and the repository exists.',
  ].join('\n')
  const { message } = gitFault({ ...ended, stderr }, 'remote_unreachable')
  expect(message).toMatch(/^The remote could not be fetched from: .*Could not resolve host: example\.com$/)
  expect(message).not.toContain('hunter2')
})

test('a cancelled git is no failure of the run', () => {
  expect(gitFault({ ...ended, cancelled: true }, 'remote_unreachable').name).toBe('AbortError')
})
