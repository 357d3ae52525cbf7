/** A private repository, behind a real sshd and behind git's own HTTP program, from the order to the deploy. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { HttpBackend } from './http-backend-under-test.ts'
import { type Identity, identityOf } from './identity.ts'
import { KeptAccess } from './remote/kept-access.ts'
import { type Program, run } from './runner.ts'
import { newKeyPair, SshRemote, withoutSshd } from './ssh-remote-under-test.ts'
import { type AgentUnderTest, agentUnderTest } from './under-test.ts'

async function behindSsh(context: TestContext, change: { name?: string } = {}) {
  if (withoutSshd) context.skip(withoutSshd)
  const here = await agentUnderTest()
  onTestFinished(() => here.close())
  const remote = await SshRemote.serving(here.directory, here.remote.directory)
  onTestFinished(() => remote[Symbol.asyncDispose]())
  const key = newKeyPair(here.directory, change.name ?? 'deploy-key')
  remote.authorize(key.public_key)
  here.project = { ...here.project, git_url: remote.url }
  const give = (known_hosts = remote.knownHosts, { private_key } = key) => {
    here.control.git = { ssh: { private_key, known_hosts }, https: null }
  }
  give()
  return { here, remote, key, give }
}

async function behindHttp(token: string, username = 'bot') {
  const here = await agentUnderTest()
  onTestFinished(() => here.close())
  const backend = await HttpBackend.serving(here.remote.directory)
  onTestFinished(() => backend[Symbol.asyncDispose]())
  backend.wanted = { username, token }
  here.project = { ...here.project, git_url: backend.url }
  here.control.git = { ssh: null, https: { url: backend.origin, username, token } }
  return { here, backend }
}

const accessOf = ({ layout }: AgentUnderTest) => join(layout.root, 'access')

test('with the project’s own key and the pinned host it is cloned, and fetched again', async context => {
  const { here, remote } = await behindSsh(context)
  await here.deployGood()
  const second = await here.deployGood()
  expect(here.head()).toBe(second)
  expect(remote.log.match(/Accepted publickey/g)).toHaveLength(2)
})

test('a key that the remote does not know is denied, and says so', async context => {
  const { here, give, remote } = await behindSsh(context)
  here.commit()
  give(remote.knownHosts, newKeyPair(here.directory, 'another'))
  const ended = await here.deploy()
  expect(ended.error).toMatchObject({
    code: 'remote_denied',
    message: expect.stringContaining('Permission denied (publickey)'),
  })
})

test('a host that nobody has pinned is not spoken to, and neither is one whose key has changed', async context => {
  const { here, give, remote } = await behindSsh(context)
  here.commit()
  give('')
  const host = `[127.0.0.1]:${remote.port}`
  const unknown = await here.deploy()
  expect(unknown.error).toEqual({
    code: 'host_unknown',
    message: `The keys of the ssh host ${host} are not pinned, so nothing was sent to it. Look at them and pin them: qd project access PROJECT --pin.`,
  })
  give()
  await here.deployGood()
  remote.changeHostKey()
  give(`[127.0.0.1]:${remote.port} ${newKeyPair(here.directory, 'former').public_key}\n`)
  const changed = await here.deploy()
  expect(changed.error).toEqual({
    code: 'host_key_changed',
    message: `The ssh host ${host} shows another key than the one it is known by, so nothing was sent to it. If it has a new one, pin it: qd project access PROJECT --pin.`,
  })
  expect(remote.log.match(/Accepted publickey/g)).toHaveLength(1)
})

test('a run that the end of the agent has broken off goes on with what was kept, while control is away', async context => {
  const { here } = await behindSsh(context)
  await here.deployGood()
  here.commit()
  const { id, ended } = here.begin()
  await here.untilStep(id, 'fetch')
  await here.stopAgent()
  await here.startAgent()
  expect((await ended).status).toBe('succeeded')
})

test('an order that says nothing of it leaves what was kept; one that says there is none takes it away', async context => {
  const { here } = await behindSsh(context)
  await here.deployGood()
  here.control.git = undefined
  await here.deployGood()
  here.project = { ...here.project, git_url: here.remote.directory }
  here.control.git = null
  await here.deployGood()
  expect(readdirSync(here.layout.root)).not.toContain('access')
})

test('on a server who runs git reads the key, and no other user does', async context => {
  if (process.getuid?.() !== 0) context.skip('only root can run programs as others')
  const { here, remote, key } = await behindSsh(context)
  const sha = here.commit()
  const [reader, other] = [identityOf('nobody')!, identityOf('games')!]
  const root = join(here.directory, 'elsewhere')
  mkdirSync(root)
  chmodSync(here.directory, 0o755)
  const access = new KeptAccess(root, reader)
  access.keep({
    ssh: { private_key: key.private_key, known_hosts: remote.knownHosts },
    https: { url: 'http://127.0.0.1:1/', username: 'bot', token: 'sesame' },
  })
  const options = { signal: AbortSignal.timeout(20_000), timeoutMs: 20_000, tag: 'test' }
  const env = { PATH: process.env.PATH!, HOME: '/nonexistent', ...access.environment }
  const listing = { file: 'git', args: ['ls-remote', remote.url, 'main'], cwd: '/', env }
  const reading = (name: string) => ({ file: 'cat', args: [join(root, 'access', name)], cwd: '/', env })
  const exit = async (program: Program, identity: Identity) =>
    (await run({ ...program, identity }, options)).code
  expect((await run({ ...listing, identity: reader }, options)).stdout).toContain(sha)
  expect(await exit(listing, other)).not.toBe(0)
  expect(await exit(reading('key'), reader)).toBe(0)
  expect(await exit(reading('key'), other)).not.toBe(0)
  expect(await exit(reading('https'), reader)).not.toBe(0)
})

test('the machine tells by which keys a host is known, or why it cannot', async context => {
  const { here, remote } = await behindSsh(context)
  const ask = (port: number, host = '127.0.0.1') => here.control.ask({ what: 'host_keys', host, port })
  expect(await ask(remote.port)).toEqual({ keys: [remote.hostKey], problem: null })
  expect(await ask(1)).toEqual({ keys: [], problem: expect.stringMatching(/\.$|: .+/) })
  expect(await ask(22, 'nobody.invalid')).toEqual({
    keys: [],
    problem: expect.stringContaining('nobody.invalid'),
  })
})

test('with the right token it is deployed over http; a wrong one is denied', async () => {
  const { here, backend } = await behindHttp('sesame-12345')
  await here.deployGood()
  const second = await here.deployGood()
  expect(here.head()).toBe(second)
  expect(backend.authorizations).not.toContain(null)
  backend.wanted = { username: 'bot', token: 'another-one' }
  here.commit()
  expect((await here.deploy()).error?.code).toBe('remote_denied')
})

test('a token goes nowhere else: not after a redirect, not to another address', async () => {
  const { here, backend } = await behindHttp('sesame-12345')
  await here.deployGood()
  const other = await HttpBackend.serving(here.remote.directory)
  onTestFinished(() => other[Symbol.asyncDispose]())
  here.commit()
  backend.redirectTo = other.origin
  const moved = await here.deploy()
  expect(moved.error).toMatchObject({ code: 'remote_moved' })
  expect(other.authorizations).toEqual([])
  here.project = { ...here.project, git_url: other.url }
  expect((await here.deploy()).status).toBe('succeeded')
  expect(new Set(other.authorizations)).toEqual(new Set([null]))
})

test('key and token are in files of their own, and in nothing else that is written, told or seen', async context => {
  const { here, remote, key } = await behindSsh(context)
  const token = 'sentinel-token-(1)$2'
  const https = { url: 'http://127.0.0.1:1/', username: 'bot', token }
  here.control.git = { ssh: { private_key: key.private_key, known_hosts: remote.knownHosts }, https }
  const watching = watchArguments()
  await here.deployGood()
  here.project = { ...here.project, git_url: 'http://127.0.0.1:1/hello.git' }
  await here.deploy()
  remote.authorize()
  here.project = { ...here.project, git_url: remote.url }
  await here.deploy()
  const body = key.private_key.split('\n')[2]!
  const basic = Buffer.from(`bot:${token}`).toString('base64')
  for (const [secret, file] of [
    [body, 'key'],
    [token, 'https'],
    [basic, undefined],
  ] as const) {
    expect(JSON.stringify(here.control.told)).not.toContain(secret)
    expect(here.log.text()).not.toContain(secret)
    expect(watching.seen()).not.toContain(secret)
    expect(filesWith(secret, here.home)).toEqual(file ? [join(accessOf(here), file)] : [])
  }
  for (const name of readdirSync(accessOf(here)))
    expect(statSync(join(accessOf(here), name)).mode & 0o777).toBe(0o400)
  expect(statSync(accessOf(here)).mode & 0o777).toBe(0o700)
  await here.control.ask({ what: 'remove', project: 'hello' })
  expect(filesWith(token, here.home)).toEqual([])
})

/** The argument lists of all processes, as anybody on the machine could read them, again and again. */
function watchArguments() {
  const lists = new Set<string>()
  const look = () => {
    for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
      try {
        lists.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
      } catch {
        // It has ended meanwhile.
      }
    }
  }
  const timer = setInterval(look, 5)
  onTestFinished(() => clearInterval(timer))
  return { seen: () => [...lists].join('\n') }
}

function filesWith(text: string, directory: string): string[] {
  try {
    const found = execFileSync('grep', ['-rlF', '--', text, directory], { encoding: 'utf8' })
    return found.trim().split('\n')
  } catch {
    return []
  }
}
