/**
 * Checks that the lockfile names packages by version and checksum only: an address in it would bind everybody
 * to the registry of the machine that wrote it.
 */
import { readFileSync } from 'node:fs'
import { inProject } from './project.mjs'

/** The lines of a lockfile that hold a download address. */
export function addressesIn(lockfile: string): string[] {
  return lockfile.split('\n').filter(line => line.includes('"resolved": "http'))
}

if (import.meta.main) {
  const found = addressesIn(readFileSync(inProject('package-lock.json'), 'utf8'))
  if (found.length > 0) {
    process.stdout.write(
      `package-lock.json holds download addresses (${found.length}), the first is\n${found[0]}\n`,
    )
    process.stdout.write(
      'Remove them: "npm install --package-lock-only" with omit-lockfile-registry-resolved=true in .npmrc.\n',
    )
    process.exitCode = 1
  }
}
