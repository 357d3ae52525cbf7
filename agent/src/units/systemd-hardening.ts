/**
 * What a project's process may not do. Together `systemd-analyze security` rates it at most 3.0, and a normal Python or
 * Node service still works. Left out on purpose: MemoryDenyWriteExecute= (V8 compiles at run time), ProcSubset=pid (Python's
 * prometheus_client reads /proc/stat for the time of its start, psutil /proc/meminfo).
 */
import { dirname } from 'node:path'
import type { Layout } from '../layout.ts'
import type { Directive } from './unit-file.ts'
import { quotedWord } from './unit-file-quoting.ts'

/** Below it a port is the system's, and takes a capability to listen on. */
const firstOwnPort = 1024
/** What ProtectHome= empties. */
const userHomes = ['/home/', '/root/', '/run/user/']

export interface Confinement {
  readonly layout: Layout
  /** The port that the process itself listens on; null: none, or systemd does. */
  readonly listensOn: number | null
  /** Beside the home of the environment, such as a database elsewhere. */
  readonly hidden: readonly string[]
}

export function hardening({ layout, listensOn, hidden }: Confinement): Directive[] {
  const capability = listensOn !== null && listensOn < firstOwnPort ? 'CAP_NET_BIND_SERVICE' : ''
  return [
    ...fixed,
    ['CapabilityBoundingSet', capability],
    ['AmbientCapabilities', capability],
    ...filesOf(layout),
    ...hidden.map(path => ['InaccessiblePaths', quotedWord(`-${path}`)] as const),
  ]
}

const fixed: readonly Directive[] = [
  ['UMask', '0077'],
  ['NoNewPrivileges', 'yes'],
  ['PrivateTmp', 'yes'],
  ['PrivateDevices', 'yes'],
  ['DevicePolicy', 'closed'],
  ['ProtectSystem', 'strict'],
  ['ProtectKernelTunables', 'yes'],
  ['ProtectKernelModules', 'yes'],
  ['ProtectKernelLogs', 'yes'],
  ['ProtectControlGroups', 'yes'],
  ['ProtectClock', 'yes'],
  ['ProtectHostname', 'yes'],
  ['ProtectProc', 'invisible'],
  ['RestrictNamespaces', 'yes'],
  ['RestrictRealtime', 'yes'],
  ['RestrictSUIDSGID', 'yes'],
  ['LockPersonality', 'yes'],
  ['RemoveIPC', 'yes'],
  ['KeyringMode', 'private'],
  // AF_NETLINK: getifaddrs() asks by it, and Fastify ends without an answer when it listens on 0.0.0.0.
  ['RestrictAddressFamilies', 'AF_INET AF_INET6 AF_UNIX AF_NETLINK'],
  ['SystemCallArchitectures', 'native'],
  ['SystemCallFilter', '@system-service'],
  ['SystemCallFilter', '~@privileged @resources'],
  // Refused, not killed: Node tries to raise a limit when it starts, and goes on without.
  ['SystemCallErrorNumber', 'EPERM'],
]

/**
 * An empty directory in place of the environment's home, and in it the project alone: other projects, those to come, the
 * agent's things and the database are not there. A list of what is forbidden would be out of date with every new project.
 */
function filesOf({ root, data }: Layout): Directive[] {
  const home = dirname(dirname(root))
  const inUserHome = userHomes.some(path => `${home}/`.startsWith(path))
  return [
    ['ProtectHome', inUserHome ? 'tmpfs' : 'yes'],
    ['TemporaryFileSystem', quotedWord(`${home.replaceAll(':', '\\:')}:ro`)],
    ['BindReadOnlyPaths', quotedWord(root.replaceAll(':', '\\:'))],
    ['BindPaths', quotedWord(data.replaceAll(':', '\\:'))],
    ['ReadWritePaths', quotedWord(data)],
  ]
}
