#!/usr/bin/env node
/**
 * `quarterdeck`, also `qd`: runs the command line in this process where Node is new enough, else on the Node
 * that came with the packages.
 */
import { fileURLToPath } from 'node:url'
import { run } from '../../scripts/child.mjs'
import { node24, runsNode24 } from '../../scripts/node24.mjs'
import { programEnv } from '../../scripts/project.mjs'
import { endLike, endWith } from '../../scripts/stop.mjs'

const main = new URL('../src/main.ts', import.meta.url)

if (runsNode24()) {
  process.argv[1] = fileURLToPath(main)
  await import(main.href)
} else {
  try {
    endLike(await run(node24(), [fileURLToPath(main), ...process.argv.slice(2)], { env: programEnv() }))
  } catch (error) {
    endWith(error)
  }
}
