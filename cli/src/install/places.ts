/** Where everything of an installed environment lies. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../root.ts'

const data = '/var/lib/quarterdeck'
const settings = '/etc/quarterdeck'

export const places = {
  data,
  /** The home of `qd up`: the database, the operator's token, the socket for the agent. */
  control: join(data, 'control'),
  agent: join(data, 'agent'),
  projects: join(data, 'projects'),
  /** Of installers: a directory for each project, given to the build user. */
  cache: join(data, 'cache'),
  settings,
  config: join(settings, 'quarterdeck.yaml'),
  units: '/etc/systemd/system',
  transientUnits: '/run/systemd/transient',
  launchers: ['/usr/local/bin/qd', '/usr/local/bin/quarterdeck'],
  compileCaches: ['/var/cache/quarterdeck', '/var/cache/quarterdeck-agent'],
} as const

export const controlUnit = 'quarterdeck.service'
export const agentUnit = 'quarterdeck-agent.service'

/** That of the lockfile, so that an upgrade of the system's Node changes nothing here. */
export function nodeOf(checkout: string): string {
  const own = join(checkout, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node')
  return existsSync(own) ? own : process.execPath
}

/** The code that is installed: it is run where it lies. */
export interface Code {
  /** The checkout. */
  root: string
  node: string
  /** Its commit: another one asks for a restart. */
  sha: string
}

export const codeHere = (sha: string): Code => ({ root, node: nodeOf(root), sha })
