/** A private repository as its owner brings it, with qd and a forge’s sshd alone: key, host keys, deploy; then https and a token. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort, temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { HttpBackend } from '../../agent/src/http-backend-under-test.ts'
import { SshRemote, withoutSshd } from '../../agent/src/ssh-remote-under-test.ts'
import { qd, up } from '../environment.ts'
import { endServicesAfterwards, version } from './placed.ts'
import { repository } from './repository.ts'

const token = 'sentinel-token-77'

test('from the address of a private repository to a proven build; the host’s key changes; then a token', async context => {
  if (withoutSshd) context.skip(withoutSshd)
  const environment = await up(temporaryDirectory())
  const { home } = environment
  endServicesAfterwards(home)
  const { url: path, push } = repository()
  const first = push('good')
  const remote = await SshRemote.serving(temporaryDirectory(), path)
  onTestFinished(() => remote[Symbol.asyncDispose]())
  const access = (...args: string[]) => qd('project', 'access', 'hello', ...args, '--home', home)

  const settings = ['--interpreter', '/usr/bin/python3', '--port', String(await freePort())]
  const add = ['--repository', 'acme/hello', '--git', remote.url, ...settings]
  const added = await qd('project', 'add', 'hello', ...add, '--home', home, '--', 'python', '-m', 'app')
  const key = /ssh-ed25519 \S+ quarterdeck-hello/.exec(added.stdout)?.[0]
  expect([added.code, key]).toEqual([0, expect.any(String)])
  remote.authorize(key!)

  const unknown = await qd('deploy', 'hello', '--home', home)
  expect([unknown.code, unknown.stdout + unknown.stderr]).toEqual([
    3,
    expect.stringContaining('are not pinned, so nothing was sent to it'),
  ])
  const wrong = await access('--fingerprint', `SHA256:${'b'.repeat(43)}`)
  expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining('Nothing was pinned.') })
  const shown = execFileSync('ssh-keygen', ['-lf', '-'], { input: remote.hostKey, encoding: 'utf8' })
  expect((await access('--fingerprint', shown.split(' ')[1]!)).code).toBe(0)
  expect((await qd('deploy', 'hello', '--home', home)).code).toBe(0)
  expect(await version(environment)).toBe(first)

  remote.changeHostKey()
  const second = push('good')
  const changed = await qd('deploy', 'hello', '--json', '--home', home)
  expect(JSON.parse(changed.stdout)).toMatchObject({ error: { code: 'host_key_changed' } })
  expect((await access('--pin', '--yes')).code).toBe(0)
  expect((await qd('deploy', 'hello', '--home', home)).code).toBe(0)
  expect(await version(environment)).toBe(second)

  const forge = await HttpBackend.serving(path)
  onTestFinished(() => forge[Symbol.asyncDispose]())
  forge.wanted = { username: 'bot', token }
  await qd('project', 'set', 'hello', '--git', `${forge.origin}remote.git`, '--home', home)
  const third = push('good')
  const denied = await qd('deploy', 'hello', '--json', '--home', home)
  expect(JSON.parse(denied.stdout)).toMatchObject({ error: { code: 'remote_denied' } })
  expect(await withToken(home)).toBe(0)
  expect((await qd('deploy', 'hello', '--home', home)).code).toBe(0)
  expect(await version(environment)).toBe(third)
  const files = execFileSync('grep', ['-rlF', '--', token, home], { encoding: 'utf8' }).trim().split('\n')
  expect(files).toEqual([join(home, 'projects/hello/access/https')])
})

/** The command line reads it from standard input. */
async function withToken(home: string): Promise<number> {
  const main = join(import.meta.dirname, '../../cli/src/main.ts')
  const args = [main, 'project', 'access', 'hello', '--token-stdin', '--username', 'bot', '--home', home]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(`${token}\n`)
  expect(await text(child.stdout)).not.toContain(token)
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode]
  return code
}
