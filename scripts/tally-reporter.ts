/**
 * A vitest reporter that writes what `npm test` sums up to a file. Vitest's own JSON report has no room for
 * the reason of a skip, which a test gives with `ctx.skip('reason')` or `ctx.skip(condition, 'reason')`.
 */
import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { emptyTally, type Tally, tallyFileVariable } from './tally.mjs'

/**
 * Counts the tests of a run. A file that could not be loaded counts as a failed test, and so do errors outside of
 * any test if nothing else failed: a run that fails never reads "0 failed".
 */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], strayErrors: readonly unknown[]): void {
    const file = process.env[tallyFileVariable]
    if (!file) return
    const tally = tallyOf(modules)
    if (strayErrors.length > 0 && tally.failed === 0) tally.failed = 1
    writeFileSync(file, JSON.stringify(tally))
  }
}

function tallyOf(modules: readonly TestModule[]): Tally {
  const tally = emptyTally()
  for (const module of modules) {
    const failedBefore = tally.failed
    for (const test of module.children.allTests()) count(tally, test)
    if (module.state() === 'failed' && tally.failed === failedBefore) tally.failed += 1
  }
  return tally
}

function count(tally: Tally, test: TestCase): void {
  const result = test.result()
  if (result.state === 'passed') tally.passed += 1
  else if (result.state === 'failed') tally.failed += 1
  else {
    const reason = (result.state === 'skipped' && result.note) || reasonOf(test)
    tally.skipped[reason] = (tally.skipped[reason] ?? 0) + 1
  }
}

function reasonOf(test: TestCase): string {
  if (test.options.mode === 'todo') return 'still to be written'
  const pattern = test.project.vitest.config.testNamePattern
  if (pattern && !pattern.test(test.fullName.replaceAll(' > ', ' '))) return 'not asked for'
  return 'no reason given'
}
