import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { KeptAccess } from './kept-access.ts'

const ssh = { private_key: 'the key\n', known_hosts: 'git.example.com ssh-ed25519 AAAA\n' }
const https = { url: 'https://git.example.com/', username: 'bot', token: 'sesame' }

test('ssh is given the project’s own key and known hosts, and nothing of the machine’s', context => {
  if (spawnSync('ssh', ['-V']).error) context.skip('ssh is not installed (Debian: openssh-client)')
  const root = join(temporaryDirectory(), 'it\'s 100% "odd" h\\ere')
  const access = new KeptAccess(root, undefined)
  access.keep({ ssh, https: null })
  const { GIT_SSH_COMMAND: command = '', ...rest } = access.environment
  expect(rest).toEqual({})
  const settings = settingsOf(command)
  expect(settings).toMatchObject({
    stricthostkeychecking: 'true',
    identitiesonly: 'yes',
    batchmode: 'yes',
    globalknownhostsfile: '/dev/null',
    identityagent: 'none',
    updatehostkeys: 'false',
    forwardagent: 'no',
    preferredauthentications: 'publickey',
  })
  expect(readFileSync(join(root, 'access/key'), 'utf8')).toBe(ssh.private_key)
  expect(readFileSync(join(root, 'access/known_hosts'), 'utf8')).toBe(ssh.known_hosts)
  expect(settings.userknownhostsfile).toBe(join(root, 'access/known_hosts'))
  // It shows this one before it puts in what stands behind a percent sign.
  expect(settings.identityfile).toBe(join(root, 'access/key').replaceAll('%', '%%'))
})

test('https is given a header for one address, and follows no redirect', () => {
  const access = new KeptAccess(temporaryDirectory(), undefined)
  access.keep({ ssh: null, https })
  expect(access.environment).toEqual({
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'http.https://git.example.com/.extraHeader',
    GIT_CONFIG_VALUE_0: 'Authorization: Basic Ym90OnNlc2FtZQ==',
    GIT_CONFIG_KEY_1: 'http.followRedirects',
    GIT_CONFIG_VALUE_1: 'false',
  })
  expect(access.secrets).toEqual(['sesame', 'Ym90OnNlc2FtZQ=='])
})

test('what is no longer given is gone', () => {
  const root = temporaryDirectory()
  const access = new KeptAccess(root, undefined)
  access.keep({ ssh, https })
  access.keep({ ssh: null, https })
  expect(access.secrets).not.toContain(ssh.private_key)
  access.keep(null)
  expect([access.environment, access.secrets, existsSync(join(root, 'access'))]).toEqual([{}, [], false])
})

/** What ssh itself understands, when a shell takes the line apart as it does for git. */
function settingsOf(command: string): Record<string, string> {
  const text = execFileSync('/bin/sh', ['-c', `${command} -G git@git.example.com`], {
    encoding: 'utf8',
    stdio: 'pipe',
  })
  return Object.fromEntries(
    text.split('\n').map(line => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  )
}
