/**
 * Two projects: `npm test` runs `fast`, then `slow`, both on the Node 24 of the lockfile, whose `node:sqlite`
 * and type stripping the code relies on (see scripts/run-tests.mjs).
 */
import { defineConfig } from 'vitest/config'

/** These run inside a machine with a real systemd; e2e/systemd-units.test.ts takes them there. */
const inside = process.env.QUARTERDECK_TEST_MACHINE ? [] : ['**/systemd-inside/**']
const notOurs = ['**/node_modules/**', '**/dist/**', '**/.quarterdeck/**', ...inside]

export default defineConfig({
  test: {
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...notOurs, '**/*.slow.test.ts'],
          maxWorkers: '100%',
          testTimeout: 15_000,
          hookTimeout: 15_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['**/*.slow.test.ts', 'e2e/**/*.test.ts'],
          exclude: notOurs,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // They use whole machines, ports and browsers: one file after another.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
