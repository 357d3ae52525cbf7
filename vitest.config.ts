/**
 * Three projects: `npm test` runs `fast`, then `slow` and `alone`, all on the Node 24 of the lockfile, whose
 * `node:sqlite` and type stripping the code relies on (see scripts/run-tests.mjs).
 */
import { defineConfig } from 'vitest/config'

/** These run inside a machine with a real systemd; e2e/systemd-units.test.ts takes them there. */
const inside = process.env.QUARTERDECK_TEST_MACHINE ? [] : ['**/systemd-inside/**']
const notOurs = ['**/node_modules/**', '**/dist/**', '**/.quarterdeck/**', ...inside]
const alone = '**/*.alone.test.ts'
const patience = { testTimeout: 120_000, hookTimeout: 120_000 }

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: '100%',
    // Node loads the code as it does in production, without a transform; run-tests.mjs gives it a compile cache.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Who waits for something waits for it: limits are for what hangs.
    expect: { poll: { timeout: 10_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...notOurs, '**/*.slow.test.ts', alone],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['**/*.slow.test.ts', 'e2e/**/*.test.ts'],
          exclude: [...notOurs, alone],
          ...patience,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: [alone],
          exclude: notOurs,
          ...patience,
          // One file after another, and nothing beside it; each says why.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
