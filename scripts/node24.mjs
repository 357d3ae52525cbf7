/** The Node that everything runs on. It comes with the lockfile, so that the machine's own may be older. */
import { existsSync } from 'node:fs'
import { inProject } from './project.mjs'
import { Stop } from './stop.mjs'

const neededMajor = 24

/** Whether this very process is new enough to run the product. */
export function runsNode24() {
  return Number(process.versions.node.split('.')[0]) >= neededMajor
}

/**
 * The path of the Node binary to use.
 * @returns {string}
 */
export function node24() {
  const fromLockfile = inProject('node_modules', `node-linux-${process.arch}`, 'bin', 'node')
  if (process.platform === 'linux' && existsSync(fromLockfile)) return fromLockfile
  if (runsNode24()) return process.execPath
  throw new Stop(
    `Quarterdeck needs Node ${neededMajor}, this is ${process.version} and node_modules has no other. ` +
      `Run "npm install --include=optional" in ${inProject()}, or install Node ${neededMajor} or newer.`,
  )
}
