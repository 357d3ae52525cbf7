/** Installs the packages of the lockfile when that is due, and says nothing when it is not. */
import { mkdirSync } from 'node:fs'
import { run } from './child.mjs'
import { isInstalled, removeStamp, wantedStamp, writeStamp } from './install-stamp.mjs'
import { withLock } from './lock.mjs'
import { secondsSince, withProgress } from './progress.mjs'
import { inProject, root } from './project.mjs'
import { Stop } from './stop.mjs'

// "--no-save" leaves package-lock.json alone; "--include" because a NODE_ENV=production or an "omit" in someone's
// npm settings would leave out the test tools or the Node binary.
const installArgs = [
  'install',
  '--no-audit',
  '--no-fund',
  '--no-save',
  '--include=dev',
  '--include=optional',
  '--loglevel=error',
]

/** Makes node_modules match the lockfile; of several processes at once one installs and the others wait. */
export async function ensureInstalled() {
  if (isInstalled()) return
  mkdirSync(inProject('node_modules'), { recursive: true })
  await withLock(
    inProject('node_modules', '.quarterdeck-install.lock'),
    async () => {
      if (!isInstalled()) await install()
    },
    {
      onWait: pid => process.stderr.write(`Waiting for process ${pid}, which is installing the packages.\n`),
    },
  )
}

async function install() {
  const stamp = wantedStamp()
  const start = performance.now()
  removeStamp()
  const result = await withProgress('Installing packages', () => npm(installArgs))
  if (result.interruptedBy) throw new Stop('', { signal: result.interruptedBy })
  if (result.code !== 0) {
    process.stderr.write(result.output)
    const how = result.signal ? `was ended by ${result.signal}` : `ended with exit code ${result.code}`
    throw new Stop(
      `The packages could not be installed: npm ${how}. ` +
        'Check the network and "npm config get registry", then run the same command again.',
    )
  }
  writeStamp(stamp)
  process.stderr.write(`Installed packages in ${secondsSince(start)}.\n`)
}

/**
 * The npm that started us, or the one on PATH.
 * @param {readonly string[]} args
 */
function npm(args) {
  const own = process.env.npm_execpath
  const started = own
    ? run(process.execPath, [own, ...args], { cwd: root, capture: true })
    : run('npm', args, { cwd: root, capture: true })
  return started.catch(error => {
    throw new Stop(
      `npm could not be started (${error.message}). Install npm, which comes with Node.js, and try again.`,
    )
  })
}
