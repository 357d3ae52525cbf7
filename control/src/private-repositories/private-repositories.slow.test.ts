/** The access of a project to its private repository: over HTTP as operators set it, and as a machine is given it. */
import { execFileSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ToAgent } from '@quarterdeck/contract'
import { until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { commit, projectUnderTest } from '../deploy/under-test.ts'
import { AgentUnderTest } from '../fleet/under-test.ts'
import { controlUnderTest } from '../under-test.ts'
import { newKeyPair } from './openssh-key.ts'

const hostKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
const fingerprint = 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU'
const ssh = 'git@github.com:acme/hello.git'
const token = 'sentinel-token-1'

async function underTest(git_url = ssh) {
  const under = await controlUnderTest()
  const project = await projectUnderTest(under)
  const api = (method: string, path: string, body?: unknown) =>
    under.ask('admin', `/api/projects/hello${path}`, { method, token: under.token, body })
  const fetchFrom = (address: string) => api('PATCH', '', { git_url: address })
  await fetchFrom(git_url)
  const agent = new AgentUnderTest(link => under.control.attach(link)).connect()
  /** What goes with the order of a new run, which ends well. */
  let number = 0
  const given = async () => {
    const id = await project.pushed(commit(++number))
    await agent.ordered(id)
    const order = agent.heard.findLast(
      (message): message is Extract<ToAgent, { type: 'run' }> =>
        message.type === 'run' && message.order.id === id,
    )
    agent.end(id, {}, { sha: commit(number) })
    await project.is(id, 'succeeded')
    return order!.confidential.git
  }
  return { under, ...project, api, fetchFrom, agent, given }
}

test('a deploy key is made, shown without its secret half, rotated only when that is said, and removed', async () => {
  const { api } = await underTest()
  const made = await api('POST', '/access/key')
  expect(made).toMatchObject({
    status: 201,
    json: {
      remote: { kind: 'ssh', host: 'github.com' },
      deploy_key: { public_key: expect.stringMatching(/^ssh-ed25519 \S{68} quarterdeck-hello$/) },
      problem:
        'The keys of github.com are not pinned, so it is not spoken to. Pin them with `qd project access hello --pin`.',
    },
  })
  expect(made.text).not.toContain('PRIVATE')
  expect((await api('POST', '/access/key')).json.code).toBe('deploy_key_exists')
  const rotated = await api('POST', '/access/key', { rotate: true })
  expect(rotated.json.deploy_key.fingerprint).not.toBe(made.json.deploy_key.fingerprint)
  expect((await api('DELETE', '/access/key')).status).toBe(204)
  expect((await api('DELETE', '/access/key')).status).toBe(204)
  expect((await api('GET', '/access')).json).toMatchObject({ deploy_key: null, problem: null })
})

test('a machine is given the key, and by which keys the host is known: none until they are pinned', async () => {
  const { api, given, fetchFrom } = await underTest()
  expect(await given()).toBeNull()
  await api('POST', '/access/key')
  const private_key = expect.stringMatching(/^-----BEGIN OPENSSH PRIVATE KEY-----\n/)
  expect(await given()).toEqual({ ssh: { private_key, known_hosts: '' }, https: null })
  await api('PUT', '/access/host-keys', { host: 'github.com', keys: [hostKey, hostKey] })
  expect(await given()).toMatchObject({ ssh: { known_hosts: `github.com ${hostKey}\n` } })
  await fetchFrom('ssh://git@git.example.com:2222/acme/hello.git')
  expect(await given()).toMatchObject({ ssh: { known_hosts: '' } })
  expect((await api('GET', '/access')).json.problem).toContain(
    '[git.example.com]:2222 are not pinned, only those of github.com',
  )
  await fetchFrom('https://github.com/acme/hello.git')
  expect(await given()).toBeNull()
})

test('the machine is asked for the host’s keys, which are shown with their fingerprints', async () => {
  const { api, agent, fetchFrom } = await underTest()
  const other = newKeyPair('').publicKey.trim()
  agent.answer = () => ({ keys: [hostKey, other.replace('ssh-ed25519 ', 'ssh-rsa ')], problem: null })
  // From when the agent has said hello.
  await expect
    .poll(() => api('GET', '/access/host-keys'))
    .toMatchObject({
      status: 200,
      json: {
        host: 'github.com',
        machine: 'local',
        keys: [{ type: 'ssh-ed25519', fingerprint, public_key: hostKey }],
      },
    })
  agent.answer = () => ({ keys: [], problem: 'It does not answer in time.' })
  expect((await api('GET', '/access/host-keys')).json).toMatchObject({
    code: 'host_keys_unavailable',
    detail: 'local got no ssh host keys from github.com, port 22. It does not answer in time.',
  })
  agent.disconnect()
  await until('it is away', async () => (await api('GET', '/access/host-keys')).status === 503)
  await fetchFrom('/srv/git/hello.git')
  expect((await api('GET', '/access/host-keys')).json.code).toBe('remote_unsuitable')
})

test('what is not a key of the very host is not pinned', async () => {
  const { api } = await underTest()
  const host = 'github.com'
  for (const [field, body] of [
    ['host', { host: 'github.example', keys: [hostKey] }],
    ['keys.0', { host, keys: [hostKey.replace('ed25519', 'rsa')] }],
    ['keys.0', { host, keys: [`${hostKey}\n* ${hostKey}`] }],
    ['keys', { host, keys: [] }],
  ] as const) {
    const refused = await api('PUT', '/access/host-keys', body)
    expect(refused).toMatchObject({ status: 422, json: { errors: [{ field }] } })
  }
  expect((await api('GET', '/access')).json.host_keys).toBeNull()
})

test('a token is given for the address that it was set for, and for no other', async () => {
  const { api, given, fetchFrom } = await underTest('https://git.example.com/acme/hello.git')
  const set = await api('PUT', '/access/token', { token, username: 'bot' })
  expect(set).toMatchObject({
    status: 200,
    json: { token: { url: 'https://git.example.com/', username: 'bot' }, problem: null },
  })
  expect(set.text).not.toContain(token)
  const https = { url: 'https://git.example.com/', username: 'bot', token }
  expect(await given()).toEqual({ ssh: null, https })
  await fetchFrom('https://other.example.com/acme/hello.git')
  expect(await given()).toBeNull()
  expect((await api('GET', '/access')).json.problem).toMatch(
    /^The token is for https:\/\/git\.example\.com\//,
  )
  expect((await api('DELETE', '/access/token')).status).toBe(204)
  expect((await api('GET', '/access')).json.token).toBeNull()
})

test('no token is taken where it would be sent in the clear, or not at all', async () => {
  const { api, fetchFrom } = await underTest()
  for (const address of [ssh, 'http://git.example.com/hello.git', '/srv/git/hello.git']) {
    await fetchFrom(address)
    expect((await api('PUT', '/access/token', { token })).json.code).toBe('remote_unsuitable')
  }
})

test('key and token are nowhere to be read: not in the database, the log, the events or the audit', async () => {
  const { under, api, given, fetchFrom } = await underTest()
  await api('POST', '/access/key')
  const key = (await given())!.ssh!.private_key.split('\n')[2]!
  await fetchFrom('https://git.example.com/acme/hello.git')
  await api('PUT', '/access/token', { token })
  await given()
  const audit = async () => (await under.ask('admin', '/api/audit', { token: under.token })).text
  await expect.poll(audit).toMatch(/repository_token\.set.*deploy_key\.created/)
  const told = await audit()
  for (const secret of [key, token]) {
    expect(told).not.toContain(secret)
    expect(under.log.text()).not.toContain(secret)
    expect(() => execFileSync('grep', ['-rlF', '--', secret, under.config.home])).toThrow()
  }
})

test('without the home’s key a run fails and says so; removing what cannot be read needs none', async () => {
  const { under, api, pushed, is } = await underTest()
  await api('POST', '/access/key')
  const file = join(under.config.home, 'secret.key')
  renameSync(file, `${file}.lost`)
  const failed = await is(await pushed(commit(9)), 'failed')
  expect(failed.error.code).toBe('secrets_unreadable')
  expect((await api('POST', '/access/key', { rotate: true })).json.code).toBe('secret_key_unusable')
  expect((await api('DELETE', '/access/key')).status).toBe(204)
  expect((await api('POST', '/access/key')).status).toBe(201)
})

test('a run that is told again without the home’s key leaves to its machine what it has', async () => {
  const { under, api, agent, pushed } = await underTest()
  await api('POST', '/access/key')
  const id = await pushed(commit(8))
  await agent.ordered(id)
  const file = join(under.config.home, 'secret.key')
  renameSync(file, `${file}.lost`)
  agent.disconnect()
  agent.connect()
  await agent.ordered(id, 2)
  const again = agent.heard.findLast(message => message.type === 'run')
  expect(again?.type === 'run' && again.confidential).toEqual({ variables: [] })
})

test('an archived project keeps nothing of it', async () => {
  const { api, under } = await underTest()
  await api('POST', '/access/key')
  expect((await api('DELETE', '')).status).toBe(204)
  expect((await api('GET', '/access')).status).toBe(404)
  const database = new DatabaseSync(join(under.config.home, 'database.sqlite'), { readOnly: true })
  onTestFinished(() => database.close())
  expect(database.prepare('select * from repository_access').all()).toEqual([])
})
