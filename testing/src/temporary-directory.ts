import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A new directory that goes when the test that asked for it ends. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'qd-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
