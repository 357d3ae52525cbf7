import { Fault, type RepositoryAccess, repositoryAccessDocument } from '@quarterdeck/contract'
import { expect, test } from 'vitest'
import { projectOf, qd, standIn, startQd } from '../under-test.ts'

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
const fingerprint = 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU'
const git_url = 'git@github.com:acme/hello.git'

const accessOf = (change: Partial<RepositoryAccess> = {}): RepositoryAccess => ({
  ...(repositoryAccessDocument.example as RepositoryAccess),
  ...change,
})

const routes = {
  'GET /api/projects/hello': () => projectOf({ git_url }),
  'GET /api/projects/hello/access': () => accessOf(),
  'POST /api/projects/hello/access/key': () => accessOf(),
  'DELETE /api/projects/hello/access/key': () => undefined,
  'GET /api/projects/hello/access/host-keys': () => ({
    host: 'github.com',
    machine: 'web-1',
    keys: [
      { type: 'ssh-ed25519', fingerprint, public_key: key },
      { type: 'ssh-rsa', fingerprint: `SHA256:${'a'.repeat(43)}`, public_key: `ssh-rsa ${'A'.repeat(60)}` },
    ],
  }),
  'PUT /api/projects/hello/access/host-keys': () => accessOf(),
  'PUT /api/projects/hello/access/token': () => accessOf(),
  'DELETE /api/projects/hello/access/token': () => undefined,
}

const changes = (asked: { route: string; body: unknown }[]) =>
  asked.filter(({ route }) => !route.startsWith('GET')).map(({ route, body }) => [route, body])

test('the public key is shown ready to paste, and where to', async () => {
  const { home } = await standIn(routes)
  const { stdout } = await qd('project', 'access', 'hello', '--home', home)
  expect(stdout).toMatchInlineSnapshot(`
    "hello
      Fetched from  git@github.com:acme/hello.git
      Deploy key    SHA256:5sE2v8k1b8bGm3X0gqSPYf3qWkz0bXyM5h0h1mCwq3E, made 2026-03-01T10:00:00Z
      Host keys     github.com, pinned 2026-03-01T10:02:00Z
                    ssh-ed25519  SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU

    Add this key to acme/hello as a deploy key, for reading alone:
    ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3Cq0oSWcQ4tcUZ0jEwW0bUQyXb5kV2b2QyXb5kV2b2 quarterdeck-hello
      https://github.com/acme/hello/settings/keys/new
    "
  `)
})

test('a key is replaced only when someone says so', async () => {
  const { home, asked } = await standIn(routes)
  const refused = await qd('project', 'access', 'hello', '--new-key', '--home', home)
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('Say it with --yes.') })
  expect(changes(asked)).toEqual([])
  expect((await qd('project', 'access', 'hello', '--new-key', '--yes', '--home', home)).code).toBe(0)
  expect(changes(asked)).toEqual([['POST /api/projects/hello/access/key', { rotate: true }]])
})

test('host keys are shown and pinned when someone agrees', async () => {
  const { home, asked } = await standIn(routes)
  const refused = await qd('project', 'access', 'hello', '--pin', '--home', home)
  expect(refused.code).toBe(3)
  expect(refused.stderr).toContain(`ssh-ed25519  ${fingerprint}`)
  expect(refused.stderr).toContain('It publishes them at https://docs.github.com/')
  expect(changes(asked)).toEqual([])
  await qd('project', 'access', 'hello', '--pin', '--yes', '--home', home)
  expect(asked.findLast(({ route }) => route.startsWith('PUT'))?.body).toEqual({
    host: 'github.com',
    keys: [key, `ssh-rsa ${'A'.repeat(60)}`],
  })
})

test('with a fingerprint that key alone is pinned, without a question; another one pins nothing', async () => {
  const { home, asked } = await standIn(routes)
  const pin = (...prints: string[]) =>
    qd('project', 'access', 'hello', ...prints.flatMap(text => ['--fingerprint', text]), '--home', home)
  expect((await pin(fingerprint)).code).toBe(0)
  expect(changes(asked)).toEqual([
    ['PUT /api/projects/hello/access/host-keys', { host: 'github.com', keys: [key] }],
  ])
  const wrong = await pin(fingerprint, `SHA256:${'b'.repeat(43)}`)
  expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining('Nothing was pinned.') })
  expect(changes(asked)).toHaveLength(1)
})

test('a token comes from standard input, and is in no argument and no output', async () => {
  const { home, asked } = await standIn(routes)
  const args = ['project', 'access', 'hello', '--token-stdin', '--username', 'bot', '--json', '--home', home]
  const { code, stdout, stderr } = await startQd(args, {}, 'sesame-1\n').ended
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual(accessOf())
  expect(changes(asked)).toEqual([
    ['PUT /api/projects/hello/access/token', { token: 'sesame-1', username: 'bot' }],
  ])
  expect(stdout + stderr).not.toContain('sesame-1')
})

test('key and token are removed', async () => {
  const { home, asked } = await standIn(routes)
  await qd('project', 'access', 'hello', '--remove-key', '--remove-token', '--home', home)
  expect(changes(asked).map(([route]) => route)).toEqual([
    'DELETE /api/projects/hello/access/token',
    'DELETE /api/projects/hello/access/key',
  ])
})

test.each([
  [['--new-key', '--remove-key'], '--new-key and --remove-key contradict each other.'],
  [['--token-stdin', '--remove-token'], '--token-stdin and --remove-token contradict each other.'],
  [['--username', 'bot'], '--username goes with a token.'],
])('%j is refused', async (args, sentence) => {
  const { home, asked } = await standIn(routes)
  const { code, stderr } = await qd('project', 'access', 'hello', ...args, '--home', home)
  expect([code, stderr]).toEqual([3, expect.stringContaining(sentence)])
  expect(asked).toEqual([])
})

test.each([
  ['https', { kind: 'https', host: 'https://github.com/' }, 'It is fetched without a token'],
  ['ssh', { kind: 'ssh', host: 'github.com' }, 'ssh uses the keys that the machine itself has.'],
  ['a path', null, 'its address takes none'],
] as const)('without any it says what is used: %s', async (_kind, remote, sentence) => {
  const none = accessOf({ remote, deploy_key: null, host_keys: null, token: null })
  const { home } = await standIn({ ...routes, 'GET /api/projects/hello/access': () => none })
  expect((await qd('project', 'access', 'hello', '--home', home)).stdout).toContain(sentence)
})

const adding = {
  ...routes,
  'POST /api/projects': () => projectOf({ git_url }),
  'GET /api/openapi.json': () => ({ servers: [{ url: 'http://admin.localhost:8300' }] }),
}
const add = ['project', 'add', 'hello', '--repository', 'acme/hello', '--git', git_url]

test('a project that is fetched by ssh gets its key at once, and is told what to do with it', async () => {
  const { home, asked } = await standIn(adding)
  const { stdout } = await qd(...add, '--home', home, '--', 'python', '-m', 'app')
  expect(asked.map(({ route }) => route)).toContain('POST /api/projects/hello/access/key')
  expect(stdout).toContain(
    '1. Add this key to acme/hello as a deploy key, for reading alone:\n   ssh-ed25519 ',
  )
  expect(stdout).toContain('     https://github.com/acme/hello/settings/keys/new\n')
  expect(stdout).toContain(
    '2. Look at the keys of github.com, and pin them if they are right:\n   qd project access hello --pin\n',
  )
  expect(stdout).toContain('3. Make a token')
})

test('a key that cannot be made does not undo the project', async () => {
  const { home } = await standIn({
    ...adding,
    'POST /api/projects/hello/access/key': () => {
      throw new Fault('secret_key_unusable', 'The key is gone.')
    },
  })
  const { code, stdout, stderr } = await qd(...add, '--home', home, '--', 'python', '-m', 'app')
  expect([code, stdout]).toEqual([0, expect.stringContaining('✓ hello was added')])
  expect(stderr).toContain('but its deploy key could not be made: The key is gone.')
})
