/**
 * The one way in behind all npm scripts: installs what is missing, then runs the verb on Node 24. Plain
 * JavaScript for Node 18 and newer without dependencies, because it runs before anything is installed.
 */
import { runChecks } from './check.mjs'
import { run } from './child.mjs'
import { ensureInstalled } from './install.mjs'
import { node24 } from './node24.mjs'
import { inProject, programEnv, tool } from './project.mjs'
import { runTests } from './run-tests.mjs'
import { endLike, endWith, Stop } from './stop.mjs'

/** @typedef {{ code: number | null, signal: NodeJS.Signals | null }} End */

/** @type {Record<string, (args: string[]) => Promise<End>>} */
const verbs = {
  up: args => program(inProject('cli/src/main.ts'), ['up', ...args]),
  qd: args => program(inProject('cli/src/main.ts'), args),
  test: runTests,
  check: runChecks,
  kit: args => program(inProject('kit/build.ts'), args),
  generate: args => program(inProject('scripts/generate.ts'), args),
  format: args => program(tool('biome'), ['check', '--write', ...(args.length > 0 ? args : ['.'])]),
  bench: args => program(inProject('bench/main.ts'), args),
}

const [name = '', ...args] = process.argv.slice(2)
try {
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  if (!verb) {
    throw new Stop(`Usage: node scripts/run.mjs ${Object.keys(verbs).join('|')} [arguments]`, { exitCode: 2 })
  }
  await ensureInstalled()
  endLike(await verb(args))
} catch (error) {
  endWith(error)
}

/**
 * @param {string} file
 * @param {string[]} programArgs
 */
function program(file, programArgs) {
  return run(node24(), [file, ...programArgs], { env: programEnv() })
}
