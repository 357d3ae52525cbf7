/** On a server with a real systemd: git reads a private repository with the project's key, which nobody else there can read. */
import { Machine } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { withoutSshd } from '../../agent/src/ssh-remote-under-test.ts'
import { service } from './server-services.ts'
import { Server } from './server-under-test.ts'

const port = 2222
const url = `ssh://git@127.0.0.1:${port}/srv/shop/remote.git`
const start = ['python', '-m', 'app']

/** As a forge has it: a user of its own, who may use git and nothing else. */
async function forgeOn({ machine }: Server) {
  const write = (file: string, text: string) => machine.run('tee', [file], { input: text })
  await machine.ok('useradd', '--create-home', '--shell', '/usr/bin/git-shell', 'git')
  // A new user has no password yet, which sshd takes for locked.
  await machine.ok('usermod', '--password', '*', 'git')
  await write('/home/git/.gitconfig', '[safe]\n\tdirectory = *\n')
  await machine.ok('mkdir', '--parents', '/srv/sshd', '/run/sshd')
  await machine.ok('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', '/srv/sshd/host-key')
  const settings = [
    `Port ${port}`,
    'HostKey /srv/sshd/host-key',
    'AuthorizedKeysFile /srv/sshd/authorized_keys',
  ]
  await write('/srv/sshd/config', [...settings, 'StrictModes no', 'UsePAM no', ''].join('\n'))
  const sshd = ['/usr/sbin/sshd', '-D', '-f', '/srv/sshd/config']
  await machine.ok('systemd-run', '--quiet', '--unit=forge', ...sshd)
  return { authorize: (key: string) => write('/srv/sshd/authorized_keys', `${key}\n`) }
}

test('deployed with a key that only git can read; without pinned host keys nothing is sent', {
  timeout: 300_000,
}, async context => {
  const missing = Machine.missing() ?? withoutSshd
  if (missing) return context.skip(missing)
  const server = await Server.install()
  const { machine } = server
  onTestFinished(() => machine.remove())
  const forge = await forgeOn(server)
  const project = await server.project('shop', ['--git', url], start)
  const access = async (...args: string[]) =>
    JSON.parse(await server.qd('project', 'access', 'shop', '--json', ...args))
  await forge.authorize((await access()).deploy_key.public_key)
  const first = await project.push({ 'app/__main__.py': service, 'requirements.txt': '' })
  expect((await project.deploy(first)).error?.code).toBe('host_unknown')
  await access('--pin', '--yes')
  const second = await project.push({ note: 'two' })
  expect(await project.deploy(second)).toMatchObject({ status: 'succeeded', error: null })
  expect(await project.version()).toBe(second)

  const key = `${project.root}/access/key`
  const stat = async (path: string) => (await machine.ok('stat', '--format=%U:%G %a', path)).trim()
  expect(await stat(key)).toBe('quarterdeck:quarterdeck 400')
  expect(await stat(`${project.root}/access`)).toBe('root:quarterdeck 710')
  const reads = async (user: string) =>
    (await machine.run('runuser', ['-u', user, '--', 'cat', key])).code === 0
  expect([await reads('quarterdeck'), await reads('qd-shop'), await reads('qd-build')]).toEqual([
    true,
    false,
    false,
  ])
  const body = (await machine.ok('cat', key)).split('\n')[2]!
  const found = await machine.run('grep', [
    '-rlF',
    '--',
    body,
    '/var/lib/quarterdeck',
    '/etc',
    '/run/systemd',
  ])
  expect(found.stdout.trim()).toBe(key)
})
