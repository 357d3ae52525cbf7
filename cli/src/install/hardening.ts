/**
 * What the two services may not do. Left out on purpose: MemoryDenyWriteExecute= (V8 compiles at run time) and
 * ProcSubset=pid (Node's `os.cpus()` reads /proc/cpuinfo and throws without it).
 */
import { places } from './places.ts'
import { type Directive, quoted } from './unit-text.ts'

/** Below it a port is the system's, and takes a capability to listen on. */
const firstOwnPort = 1024
/** What ProtectHome= and PrivateTmp= empty. */
const emptied = ['/home/', '/root/', '/run/user/', '/tmp/', '/var/tmp/']

const both: readonly Directive[] = [
  ['UMask', '0077'],
  ['NoNewPrivileges', 'yes'],
  ['PrivateTmp', 'yes'],
  ['PrivateDevices', 'yes'],
  ['DevicePolicy', 'closed'],
  ['ProtectKernelTunables', 'yes'],
  ['ProtectKernelModules', 'yes'],
  ['ProtectKernelLogs', 'yes'],
  ['ProtectControlGroups', 'yes'],
  ['ProtectClock', 'yes'],
  ['ProtectHostname', 'yes'],
  ['RestrictNamespaces', 'yes'],
  ['RestrictRealtime', 'yes'],
  ['RestrictSUIDSGID', 'yes'],
  ['LockPersonality', 'yes'],
  ['KeyringMode', 'private'],
  // AF_NETLINK: getifaddrs() asks by it.
  ['RestrictAddressFamilies', 'AF_INET AF_INET6 AF_UNIX AF_NETLINK'],
  ['SystemCallArchitectures', 'native'],
  ['SystemCallFilter', '@system-service'],
  // Refused, not killed: Node tries to raise a limit when it starts, and goes on without.
  ['SystemCallErrorNumber', 'EPERM'],
]

/** Control with the edge: writes its home alone. */
export function controlHardening(port: number, code: readonly string[]): Directive[] {
  const capability = port > 0 && port < firstOwnPort ? 'CAP_NET_BIND_SERVICE' : ''
  return [
    ...both,
    ['SystemCallFilter', '~@privileged @resources'],
    ['CapabilityBoundingSet', capability],
    ['AmbientCapabilities', capability],
    ['ProtectProc', 'invisible'],
    ['RemoveIPC', 'yes'],
    ['ProtectSystem', 'strict'],
    ['ReadWritePaths', places.control],
    // An empty one, so that code which lies there all the same can be shown.
    ['ProtectHome', 'tmpfs'],
    ...shown(code),
  ]
}

/**
 * The agent makes users, unit files and releases, gives them to others and works as them. Homes are left to it: a project
 * that was adopted may lie in one.
 */
export const agentHardening = (code: readonly string[]): Directive[] => [
  ...both,
  ['CapabilityBoundingSet', agentCapabilities.join(' ')],
  // /usr and /boot; users and units are in /etc.
  ['ProtectSystem', 'yes'],
  ...shown(code.filter(path => /^\/(?:var\/)?tmp\//.test(path))),
]

const agentCapabilities = [
  'CAP_CHOWN',
  'CAP_DAC_OVERRIDE',
  'CAP_DAC_READ_SEARCH',
  'CAP_FOWNER',
  'CAP_FSETID',
  'CAP_SETUID',
  'CAP_SETGID',
  'CAP_KILL',
  // The environment of a process that an earlier life of the agent has left.
  'CAP_SYS_PTRACE',
  // useradd tells the audit.
  'CAP_AUDIT_WRITE',
]

const shown = (code: readonly string[]): Directive[] =>
  code
    .filter(path => emptied.some(place => path.startsWith(place)))
    .map(path => ['BindReadOnlyPaths', quoted(path.replaceAll(':', '\\:'))])
