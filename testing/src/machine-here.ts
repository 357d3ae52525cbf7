/** Whether machines with a systemd of their own can be had on this host. */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const needed = {
  'systemd-nspawn': 'systemd-container',
  systemctl: 'systemd',
  'dbus-daemon': 'dbus',
  ip: 'iproute2',
  nsenter: 'util-linux',
  setpriv: 'util-linux',
}

let known: { reason: string | undefined } | undefined

/** Why there can be no machine here, or undefined. */
export function machineMissing(): string | undefined {
  known ??= { reason: findReason() }
  return known.reason
}

/** Where this host shows cgroup2: /sys/fs/cgroup, or a folder in it where version 1 is in use as well. */
export function cgroupMount(): string | undefined {
  const line = /^\S+ (\S+) cgroup2 (?:rw|rw,\S+) /m
  return readFileSync('/proc/self/mounts', 'utf8').match(line)?.[1]
}

function findReason(): string | undefined {
  if (process.platform !== 'linux') return 'machines with systemd need Linux'
  if (process.getuid?.() !== 0) return 'machines with systemd need root'
  for (const [program, debian] of Object.entries(needed)) {
    if (!isProgram(program)) return `${program} is not installed (Debian: ${debian})`
  }
  if (!cgroupMount()) return 'machines with systemd need a writable cgroup2'
  if (!/\toverlay$/m.test(readFileSync('/proc/filesystems', 'utf8')))
    return 'machines with systemd need overlayfs, which the kernel does not have (modprobe overlay)'
  // In a container without the capability, root is not enough.
  const tried = spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', 'true'], { encoding: 'utf8' })
  if (tried.status !== 0) return `machines with systemd need namespaces: ${tried.stderr.trim()}`
  return undefined
}

function isProgram(name: string): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(folder => folder !== '')
  return folders.some(folder => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
