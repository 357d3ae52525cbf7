/** The secret of a hook: made, kept, removed, lost. */
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { commit, projectUnderTest } from '../deploy/under-test.ts'
import { AgentUnderTest } from '../fleet/under-test.ts'
import { controlUnderTest } from '../under-test.ts'
import { hookUnderTest, pushOf } from './under-test.ts'

const [a, b] = [1, 2].map(commit) as [string, string]
async function hooked() {
  const under = await controlUnderTest()
  const project = await projectUnderTest(under)
  const hook = await hookUnderTest(under)
  const agent = new AgentUnderTest(link => under.control.attach(link)).connect()
  return { under, ...project, ...hook, agent }
}

const seen = ({ status, json }: { status: number; json: { code?: string } }) => [status, json.code]

test('a removed hook, and one of an archived project, take nothing', async () => {
  const { deliver, api, secret, under } = await hooked()
  const forge = async () => (await api('/api/projects/hello/forge')).json
  await deliver(pushOf(a, b, { ref: 'refs/heads/next' }))
  expect(await forge()).toMatchObject({ hook: { last_delivery_at: null }, statuses: null })
  await api('/api/projects/hello/forge/hook', undefined, { method: 'DELETE' })
  expect(await forge()).toEqual({ hook: null, statuses: null })
  expect(seen(await deliver(pushOf(a, b)))).toEqual([403, 'bad_signature'])
  const again = await hookUnderTest(under)
  expect(again.secret()).not.toBe(secret())
  expect(seen(await api('/api/projects/hello/forge/hook', {}))).toEqual([409, 'hook_exists'])
  await api('/api/projects/hello', undefined, { method: 'DELETE' })
  expect(seen(await again.deliver(pushOf(a, b)))).toEqual([403, 'bad_signature'])
})

test('no secret is written anywhere as it is', async () => {
  const { secret, under, api } = await hooked()
  const token = 'sentinel-status-token'
  const body = { kind: 'gitea', api_url: 'http://127.0.0.1:9', token }
  const set = await api('/api/projects/hello/forge/statuses', body, { method: 'PUT' })
  expect(set.status).toBe(200)
  const files = readdirSync(under.config.home, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(under.config.home, join(entry.parentPath, entry.name)))
  expect(files).toContain('secret.key')
  for (const file of files) {
    const bytes = readFileSync(`${under.config.home}/${file}`)
    expect([file, bytes.includes(secret()), bytes.includes(token)]).toEqual([file, false, false])
  }
  expect(under.log.text()).not.toMatch(/sentinel|qd_hook_[^*]/)
  expect(set.text + (await api('/api/audit')).text).not.toMatch(/sentinel|qd_hook_[^*]/)
})

test('while the key is away, calls are answered as an outage and nothing is made in its place', async () => {
  const { deliver, under, api } = await hooked()
  const file = `${under.config.home}/secret.key`
  renameSync(file, `${file}.away`)
  expect(seen(await deliver(pushOf(a, b)))).toEqual([503, 'secret_key_unusable'])
  const rotated = await api('/api/projects/hello/forge/hook', { rotate: true })
  expect(seen(rotated)).toEqual([503, 'secret_key_unusable'])
  expect(existsSync(file)).toBe(false)
  renameSync(`${file}.away`, file)
  expect((await deliver(pushOf(a, b))).status).toBe(202)
})

test('statuses need an address that a token can be sent to', async () => {
  const { api } = await hooked()
  const set = (body: object) => api('/api/projects/hello/forge/statuses', body, { method: 'PUT' })
  const token = 'x'
  expect((await set({ kind: 'github', token })).json.statuses.api_url).toBe('https://api.github.com')
  for (const not of [
    { kind: 'gitea', token },
    { kind: 'svn', api_url: 'https://x.test', token },
    { kind: 'gitea', api_url: 'ftp://x.test', token },
    { kind: 'gitea', api_url: 'https://user:pass@x.test', token },
    { kind: 'gitea', api_url: 'https://x.test/?a=1', token },
    { kind: 'gitea', api_url: 'https://x.test', token: '' },
    { kind: 'gitea', api_url: 'https://x.test', token: 'a\nb' },
  ])
    expect(seen(await set(not))).toEqual([422, 'invalid_fields'])
})
