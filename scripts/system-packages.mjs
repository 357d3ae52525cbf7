/** What the tests use from the system, and what is to be done about what is missing. */
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * @typedef {object} SystemPackage
 * @property {string} name
 * @property {() => boolean} isThere
 * @property {string[]} debian the packages that bring it
 * @property {string} usedFor which tests, to go with "for" and with "are skipped"
 */

/** Later needs are one entry each. @type {SystemPackage[]} */
export const systemPackages = [
  {
    name: 'git',
    isThere: () => isCommand('git'),
    debian: ['git'],
    usedFor: 'tests of commits and checkouts',
  },
  {
    name: 'OpenSSH',
    isThere: () => ['ssh', 'ssh-keygen', 'ssh-keyscan'].every(isCommand) && isExecutable('/usr/sbin/sshd'),
    debian: ['openssh-client', 'openssh-server'],
    usedFor: 'tests of private repositories',
  },
  {
    name: 'PostgreSQL server',
    isThere: hasPostgresServer,
    debian: ['postgresql'],
    usedFor: 'tests of the PostgreSQL store',
  },
  {
    name: 'promtool',
    isThere: () => isCommand('promtool'),
    debian: ['prometheus'],
    usedFor: 'tests of the metrics format',
  },
  {
    name: 'Alertmanager',
    isThere: () => isCommand('prometheus-alertmanager'),
    debian: ['prometheus-alertmanager'],
    usedFor: 'tests of alerts by way of an Alertmanager',
  },
  {
    name: 'OpenSMTPD',
    isThere: () => isExecutable('/usr/sbin/smtpd'),
    debian: ['opensmtpd'],
    usedFor: 'tests of mail',
  },
  {
    name: 'Flask, gunicorn, FastAPI and uvicorn',
    isThere: () =>
      isExecutable('/usr/bin/gunicorn') &&
      ['flask', 'fastapi', 'uvicorn', 'prometheus_client'].every(name =>
        existsSync(`/usr/lib/python3/dist-packages/${name}`),
      ),
    debian: ['python3-flask', 'gunicorn', 'python3-fastapi', 'python3-uvicorn', 'python3-prometheus-client'],
    usedFor: 'tests of Python services',
  },
  {
    name: 'Chromium',
    isThere: () => isCommand('chromium'),
    debian: ['chromium', 'fonts-dejavu-core'],
    usedFor: 'tests of pages in a browser',
  },
  {
    name: 'systemd-nspawn',
    isThere: () =>
      ['systemd-nspawn', 'systemctl', 'dbus-daemon', 'ip', 'nsenter', 'setpriv'].every(isCommand),
    debian: ['systemd-container', 'systemd', 'dbus', 'iproute2', 'util-linux'],
    usedFor: 'tests on machines with a real systemd',
  },
]

/**
 * @typedef {object} Facts
 * @property {SystemPackage[]} missing
 * @property {boolean} mayInstall the user did not forbid it
 * @property {boolean} isRoot
 * @property {boolean} isDebian Debian or a system made from it
 * @property {boolean} hasApt
 */

/** @typedef {{ install: SystemPackage[], say: string[] }} Plan */

/**
 * Decides what is installed, and what the user is told is missing.
 * @param {Facts} facts
 * @returns {Plan}
 */
export function planSystemPackages({ missing, mayInstall, isRoot, isDebian, hasApt }) {
  const canInstall = isDebian && hasApt
  if (mayInstall && isRoot && canInstall) return { install: missing, say: [] }
  const way = (/** @type {string[]} */ packages) => {
    const command = `${isRoot ? '' : 'sudo '}apt-get install ${packages.join(' ')}`
    return canInstall ? `To get it: ${command}` : 'Install it with the package manager of this system'
  }
  return { install: [], say: missing.map(thing => `${missingLine(thing)} ${way(thing.debian)}.`) }
}

/**
 * What it means that something is not there.
 * @param {SystemPackage} thing
 */
export function missingLine({ name, usedFor }) {
  return `${name} is not installed: ${usedFor} are skipped.`
}

/**
 * The facts of this machine.
 * @param {boolean} mayInstall
 * @returns {Facts}
 */
export function systemFacts(mayInstall) {
  return {
    missing: systemPackages.filter(thing => !thing.isThere()),
    mayInstall,
    isRoot: process.getuid?.() === 0,
    isDebian: isDebianLike(readOsRelease()),
    hasApt: isCommand('apt-get'),
  }
}

/**
 * Whether an os-release(5) text is that of Debian, Ubuntu or a system made from one of them.
 * @param {string} osRelease
 */
export function isDebianLike(osRelease) {
  const ids = [...osRelease.matchAll(/^ID(?:_LIKE)?=(.*)$/gm)].flatMap(
    ([, value = '']) => value.match(/[\w.-]+/g) ?? [],
  )
  return ids.includes('debian') || ids.includes('ubuntu')
}

function readOsRelease() {
  try {
    return readFileSync('/etc/os-release', 'utf8')
  } catch {
    return ''
  }
}

/** Debian keeps the programs of each version in a folder that is not on PATH. */
function hasPostgresServer() {
  const base = '/usr/lib/postgresql'
  try {
    return readdirSync(base).some(version => isExecutable(join(base, version, 'bin/initdb')))
  } catch {
    return false
  }
}

/** @param {string} name */
function isCommand(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .some(folder => folder !== '' && isExecutable(join(folder, name)))
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
