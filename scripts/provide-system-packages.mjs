/**
 * Installs what the tests use from the system with apt, where that is allowed, and says what is missing
 * elsewhere.
 */
import { existsSync, readdirSync } from 'node:fs'
import { run } from './child.mjs'
import { withLock } from './lock.mjs'
import { withoutServiceStarts } from './policy-rc.mjs'
import { secondsSince, withProgress } from './progress.mjs'
import { Stop } from './stop.mjs'
import { missingLine, planSystemPackages, systemFacts } from './system-packages.mjs'

const listFolder = '/var/lib/apt/lists'
// One lock for the machine: policy-rc.d must stay in place until the last install has ended.
const lock = '/run/quarterdeck-system-packages.lock'
const aptOptions = ['-q', '-o', 'DPkg::Lock::Timeout=120']

/** @typedef {import('./system-packages.mjs').SystemPackage} SystemPackage */

/**
 * Never fails a run: tests whose program is not there skip themselves and give that reason.
 * @param {{ mayInstall: boolean }} options
 */
export async function provideSystemPackages({ mayInstall }) {
  const { install, say } = planSystemPackages(systemFacts(mayInstall))
  for (const line of say) process.stderr.write(`${line}\n`)
  if (install.length === 0) return
  await withLock(lock, () => withoutServiceStarts(() => installAll(install)), {
    onWait: pid => process.stderr.write(`Waiting for process ${pid}, which is installing system packages.\n`),
  })
}

/** @param {SystemPackage[]} things */
async function installAll(things) {
  const lists = { areNew: false }
  for (const thing of things) {
    // Another run may have brought it while we waited.
    if (thing.isThere()) continue
    const names = thing.debian.join(' and ')
    const start = performance.now()
    const result = await withProgress(`Installing ${names} for ${thing.usedFor}`, () =>
      install(thing.debian, lists),
    )
    if (result.code === 0) {
      process.stderr.write(`Installed ${names} in ${secondsSince(start)}.\n`)
    } else {
      const remark = 'apt-get could not install it; "npm test -- --no-install" does not try.'
      process.stderr.write(`${result.output.trimEnd()}\n${missingLine(thing)} ${remark}\n`)
    }
  }
}

/**
 * Fetches the package lists where there are none, or once when an install fails with the ones that are there.
 * @param {string[]} packages
 * @param {{ areNew: boolean }} lists
 */
async function install(packages, lists) {
  const args = ['install', ...aptOptions, '-y', '--no-install-recommends', ...packages]
  if (hasLists()) {
    const result = await apt(args)
    if (result.code === 0 || lists.areNew) return result
  }
  await apt(['update', ...aptOptions])
  lists.areNew = true
  return apt(args)
}

function hasLists() {
  return (
    existsSync(listFolder) && readdirSync(listFolder).some(name => /_(?:In)?Release$|_Packages/.test(name))
  )
}

/** @param {string[]} args */
async function apt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' }
  const result = await run('apt-get', args, { env, capture: true })
  if (result.interruptedBy) throw new Stop('', { signal: result.interruptedBy })
  return result
}
