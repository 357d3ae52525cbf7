/** The sum of test runs, and how it is told. The last line is read by machines: its form is fixed. */

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {Record<string, number>} skipped how many tests, by reason
 */

/** Names the file that the reporter writes to. */
export const tallyFileVariable = 'QUARTERDECK_TEST_TALLY'

/** @returns {Tally} */
export function emptyTally() {
  return { passed: 0, failed: 0, skipped: {} }
}

/**
 * @param {Tally} a
 * @param {Tally} b
 * @returns {Tally}
 */
export function addTallies(a, b) {
  const skipped = { ...a.skipped }
  for (const [reason, count] of Object.entries(b.skipped)) skipped[reason] = (skipped[reason] ?? 0) + count
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped }
}

/**
 * The end of the output of `npm test`.
 * @param {Tally} tally
 * @param {string} time how long it took
 */
export function tallyLines({ passed, failed, skipped }, time) {
  const reasons = Object.entries(skipped).sort(([, a], [, b]) => b - a)
  const total = reasons.reduce((sum, [, count]) => sum + count, 0)
  const lines = reasons.map(([reason, count]) => `${String(count).padStart(5)}  ${reason}`)
  return [
    ...(total > 0 ? ['Skipped, by reason:', ...lines] : []),
    ...(passed + failed === 0 ? ['No test ran.'] : []),
    `Took ${time}.`,
    `${passed} passed, ${failed} failed, ${total} skipped`,
  ]
}
