/** ssh as git uses it, and the question by which keys a host is known. As data: nothing is started here. */
import type { Identity } from '../identity.ts'
import type { Program } from '../runner.ts'

/** Asking somebody is out of the question, and a connection that hangs ends. */
const always = [
  '-oBatchMode=yes',
  '-oConnectTimeout=10',
  '-oServerAliveInterval=15',
  '-oServerAliveCountMax=2',
]

/** A host that is met for the first time is trusted, a changed key never: all else is as the machine's owner has it. */
export const ownSsh = ['ssh', ...always, '-oStrictHostKeyChecking=accept-new'].join(' ')

/** With this key and these known hosts, and nothing else that the machine has. */
export const pinnedSsh = ({ key, knownHosts }: { key: string; knownHosts: string }): string =>
  [
    'ssh',
    ...['-F', 'none', ...always],
    '-oStrictHostKeyChecking=yes',
    `-oUserKnownHostsFile=${place(knownHosts)}`,
    ...['-oGlobalKnownHostsFile=/dev/null', '-oUpdateHostKeys=no', '-oVerifyHostKeyDNS=no'],
    `-oIdentityFile=${place(key)}`,
    ...['-oIdentitiesOnly=yes', '-oIdentityAgent=none', '-oPreferredAuthentications=publickey'],
    ...['-oForwardAgent=no', '-oClearAllForwardings=yes', '-oControlPath=none', '-oProxyCommand=none'],
  ].join(' ')

/** git gives the line to a shell, and ssh splits the value at spaces and replaces what follows a percent sign. */
function place(path: string): string {
  const inSsh = `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`
  return `'${inSsh.replaceAll("'", `'\\''`)}'`
}

/** One line for each key: host, type and key. It is bounded in time by itself. */
export const scanHostKeys = (host: string, port: number, identity?: Identity): Program => ({
  file: 'ssh-keyscan',
  args: ['-T', '10', '-p', String(port), '-t', 'ed25519,ecdsa,rsa', '--', host],
  cwd: '/',
  env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent', LC_ALL: 'C.UTF-8' },
  ...(identity && { identity }),
})
