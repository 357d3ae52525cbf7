/**
 * Keeps packages from starting their services while they are installed: a test run must not leave a database
 * or a Prometheus behind. Debian asks /usr/sbin/policy-rc.d, and 101 forbids it (invoke-rc.d(8)).
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'

const policyFile = '/usr/sbin/policy-rc.d'
const ours = '#!/bin/sh\n# Put here by Quarterdeck while it installs packages; may be removed.\nexit 101\n'

/**
 * Runs `work` with starts of services forbidden. A policy that the machine already has is left as it is.
 * @template T
 * @param {() => Promise<T>} work
 * @param {string} [file]
 * @returns {Promise<T>}
 */
export async function withoutServiceStarts(work, file = policyFile) {
  if (!put(file)) return work()
  const remove = () => rmSync(file, { force: true })
  process.once('exit', remove)
  try {
    return await work()
  } finally {
    remove()
    process.off('exit', remove)
  }
}

/**
 * Says whether the policy there is ours to remove: also one that is left from a run that was killed.
 * @param {string} file
 */
function put(file) {
  try {
    writeFileSync(file, ours, { flag: 'wx', mode: 0o755 })
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
    return readFileSync(file, 'utf8') === ours
  }
}
