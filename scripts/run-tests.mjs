/**
 * `npm test`: gets what the tests use from the system, runs the fast tests, then the slow ones and those that bear no
 * company, and sums up.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './child.mjs'
import { node24 } from './node24.mjs'
import { secondsSince } from './progress.mjs'
import { inProject, programEnv, root, tool } from './project.mjs'
import { provideSystemPackages } from './provide-system-packages.mjs'
import { Stop } from './stop.mjs'
import { addTallies, emptyTally, tallyFileVariable, tallyLines } from './tally.mjs'

/** @typedef {import('./tally.mjs').Tally} Tally */

/**
 * `--no-install` leaves the system as it is; all other arguments are vitest's, such as a part of a file's path.
 * @param {readonly string[]} args
 */
export async function runTests(args) {
  const start = performance.now()
  const vitestArgs = args.filter(arg => arg !== '--no-install')
  await provideSystemPackages({ mayInstall: !args.includes('--no-install') })

  let sum = emptyTally()
  let passed = true
  // With a choice of tests all projects go in one run, because some may have none.
  const runs = vitestArgs.length > 0 ? [['fast', 'slow', 'alone']] : [['fast'], ['slow', 'alone']]
  for (const projects of runs) {
    if (!passed) break
    const { tally, code } = await runProjects(projects, vitestArgs)
    sum = addTallies(sum, tally)
    passed = code === 0 && tally.failed === 0
  }

  process.stdout.write(`\n${tallyLines(sum, secondsSince(start)).join('\n')}\n`)
  return { code: passed && sum.passed > 0 ? 0 : 1, signal: null }
}

/**
 * @param {string[]} projects
 * @param {readonly string[]} args
 */
async function runProjects(projects, args) {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-test-'))
  const file = join(folder, 'tally.json')
  try {
    const vitest = [tool('vitest'), 'run', '--passWithNoTests', ...projects.map(name => `--project=${name}`)]
    // Left to itself it colours the output in pipes and files, too.
    if (!process.stdout.isTTY) vitest.push('--no-color')
    const reporters = ['--reporter=default', `--reporter=${inProject('scripts/tally-reporter.ts')}`]
    const env = { ...programEnv(), [tallyFileVariable]: file }
    const result = await run(node24(), [...vitest, ...reporters, ...args], { cwd: root, env })
    if (result.signal) throw new Stop('', { signal: result.signal })
    return { tally: readTally(file, result.code), code: result.code }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Without test files vitest reports nothing; a run that broke off counts as one failure.
 * @param {string} file
 * @param {number | null} code
 * @returns {Tally}
 */
function readTally(file, code) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { ...emptyTally(), failed: code === 0 ? 0 : 1 }
  }
}
