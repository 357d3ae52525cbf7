/**
 * The root of a machine: a throw-away overlay over the host's own root, so that node, git and python are inside. Its
 * upper layer is in memory, since overlayfs refuses one that lies in its own lower layer.
 */
import { randomBytes } from 'node:crypto'
import { globSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const home = '/run/qd-machine'
export const rootFolder = `${home}/root`

const layers = `lowerdir=/,upperdir=${home}/upper,workdir=${home}/work`

/** In the ground's namespaces, in this order. */
export const rootMounts = [
  // nspawn keeps its own state in /run; this one vanishes with the ground.
  ['mount', '-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', '/run'],
  ['mkdir', '-p', `${home}/upper`, `${home}/work`, rootFolder],
  ['mount', '-t', 'overlay', '-o', layers, 'overlay', rootFolder],
  // Where the host mixes both versions of cgroups, nspawn would pass the mixture on; servers have version 2 alone.
  ['umount', '--recursive', '--lazy', '/sys/fs/cgroup'],
  ['mount', '-t', 'cgroup2', 'cgroup2', '/sys/fs/cgroup'],
]

/** The host's services, timers and file systems are not the machine's. */
const hostsOwn = ['etc/systemd/system/*', 'etc/rc?.d/*', 'etc/fstab', 'etc/hostname', 'var/log/journal/*']

/** The first three would change the host's kernel; the rest has no meaning without a console or a session. */
const masked = [
  'systemd-sysctl.service',
  'systemd-binfmt.service',
  'systemd-modules-load.service',
  'proc-sys-fs-binfmt_misc.automount',
  'getty.target',
  'systemd-logind.service',
  'systemd-firstboot.service',
]

/** The files of a freshly installed server. */
export function furnishRoot(root: string, name: string): void {
  for (const path of hostsOwn.flatMap(pattern => globSync(join(root, pattern)))) {
    rmSync(path, { recursive: true, force: true })
  }
  for (const [path, text] of Object.entries(filesOf(name))) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    // Removed first: it may be a link of the host's, and would be followed.
    rmSync(join(root, path), { force: true })
    writeFileSync(join(root, path), text)
  }
  for (const folder of ['var/log/journal', 'etc/systemd/system']) {
    mkdirSync(join(root, folder), { recursive: true })
  }
  for (const unit of masked) symlinkSync('/dev/null', join(root, 'etc/systemd/system', unit))
}

const filesOf = (name: string) => ({
  // Given, because without one it would be a first boot, which enables whatever the host has installed.
  'etc/machine-id': `${randomBytes(16).toString('hex')}\n`,
  'etc/hosts': `127.0.0.1 localhost\n127.0.1.1 ${name}\n`,
  'etc/systemd/journald.conf.d/persistent.conf': '[Journal]\nStorage=persistent\n',
})
