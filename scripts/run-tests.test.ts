import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Tally } from './tally.mjs'
import { tempProject } from './temp-project.ts'

const passing = { passed: 2, failed: 0, skipped: {} }

test('the fast tests run, then the slow ones, and the last line sums them up', async () => {
  const { code, lines, calls } = await runTests({
    fast: { passed: 5, failed: 0, skipped: { 'PostgreSQL is not installed': 2 } },
    slow: { passed: 1, failed: 0, skipped: { 'PostgreSQL is not installed': 1 } },
  })
  expect(calls).toEqual([
    expect.stringContaining('--project=fast'),
    expect.stringContaining('--project=slow --project=alone'),
  ])
  expect(lines.slice(-4)).toEqual([
    'Skipped, by reason:',
    '    3  PostgreSQL is not installed',
    expect.stringMatching(/^Took [\d.]+ s\.$/),
    '6 passed, 0 failed, 3 skipped',
  ])
  expect(code).toBe(0)
})

test('after a failure of a fast test the slow ones are not started', async () => {
  const { code, lines, calls } = await runTests({ fast: { ...passing, failed: 1 }, slow: passing })
  expect(calls).toHaveLength(1)
  expect(lines.at(-1)).toBe('2 passed, 1 failed, 0 skipped')
  expect(code).toBe(1)
})

test('a run in which no test ran fails and says so', async () => {
  const nothing = { passed: 0, failed: 0, skipped: { 'Chromium is not installed': 1 } }
  const { code, lines } = await runTests({ fast: nothing, slow: nothing })
  expect(lines).toContain('No test ran.')
  expect(lines.at(-1)).toBe('0 passed, 0 failed, 2 skipped')
  expect(code).toBe(1)
})

test('a vitest that breaks off counts as a failure', async () => {
  const { code, lines } = await runTests({})
  expect(lines.at(-1)).toBe('0 passed, 1 failed, 0 skipped')
  expect(code).toBe(1)
})

test('a choice of tests goes to vitest in one run of all projects', async () => {
  const { code, lines, calls } = await runTests({ fast: passing }, 'control/src/store', '-t', 'a b')
  expect(calls).toEqual([
    expect.stringMatching(/--project=fast --project=slow --project=alone .* control\/src\/store -t a b$/),
  ])
  expect(lines.at(-1)).toBe('2 passed, 0 failed, 0 skipped')
  expect(code).toBe(0)
})

/** Runs `npm test` with a vitest that reports the given tally for the first project it is asked for, or breaks off. */
async function runTests(tallies: Record<string, Tally>, ...args: string[]) {
  const vitest = `
    const { appendFileSync, writeFileSync } = require('node:fs')
    const args = process.argv.slice(2)
    appendFileSync('vitest-calls', args.join(' ') + '\\n')
    const tally = ${JSON.stringify(tallies)}[args.find(arg => arg.startsWith('--project=')).slice(10)]
    if (tally) writeFileSync(process.env.QUARTERDECK_TEST_TALLY, JSON.stringify(tally))
    process.exitCode = tally && tally.failed === 0 ? 0 : 1`
  const project = tempProject({
    'node_modules/.bin/vitest': vitest,
    'node_modules/.bin/package.json': '{ "type": "commonjs" }',
  })
  const { code, stdout } = await project.run('test', '--no-install', ...args)
  const calls = readFileSync(join(project.folder, 'vitest-calls'), 'utf8').trim().split('\n')
  return { code, lines: stdout.trimEnd().split('\n'), calls }
}
