import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inProject, tool } from './project.mjs'
import { addTallies, emptyTally, tallyFileVariable, tallyLines } from './tally.mjs'
import { tempFolder } from './temp-project.ts'

test('the last line has one form, and reasons come before it, most frequent first', () => {
  const fast = { passed: 3, failed: 0, skipped: { 'no browser': 1, 'no database': 1 } }
  const slow = { passed: 1, failed: 2, skipped: { 'no database': 2 } }
  expect(tallyLines(addTallies(fast, slow), '4.2 s')).toEqual([
    'Skipped, by reason:',
    '    3  no database',
    '    1  no browser',
    'Took 4.2 s.',
    '4 passed, 2 failed, 4 skipped',
  ])
  expect(tallyLines(emptyTally(), '0.1 s')).toEqual([
    'No test ran.',
    'Took 0.1 s.',
    '0 passed, 0 failed, 0 skipped',
  ])
})

test('the reporter counts tests, keeps the reasons of skips, and takes a file that does not load for a failure', () => {
  const folder = tempFolder({
    'a.test.ts': `
      import { beforeEach, describe, expect, test } from 'vitest'
      test('passes', () => {})
      test('fails', () => expect(1).toBe(2))
      test('skips by itself', ctx => ctx.skip('PostgreSQL is not installed'))
      test('skips on a condition', ctx => ctx.skip(true, 'PostgreSQL is not installed'))
      test('does not skip', ctx => ctx.skip(false, 'never'))
      describe('a suite', () => {
        beforeEach(ctx => ctx.skip(true, 'Chromium is not installed'))
        test('is skipped by its hook', () => {})
      })
      test.skip('says nothing', () => {})
      test.todo('comes later')`,
    'broken.test.ts': "throw new Error('does not load')",
  })
  symlinkSync(inProject('node_modules'), join(folder, 'node_modules'))
  const file = join(folder, 'tally.json')
  const reporter = `--reporter=${inProject('scripts/tally-reporter.ts')}`
  const vitest = spawnSync(process.execPath, [tool('vitest'), 'run', `--root=${folder}`, reporter], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, [tallyFileVariable]: file },
  })
  expect(vitest.status, vitest.stderr).toBe(1)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    passed: 2,
    failed: 2,
    skipped: {
      'PostgreSQL is not installed': 2,
      'Chromium is not installed': 1,
      'no reason given': 1,
      'still to be written': 1,
    },
  })
})
