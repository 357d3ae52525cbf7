/** The Python kit's own tests, on each Python that it supports and this machine has. */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** The first that is there: on PATH, the system's own, or one that pyenv has built. */
function interpreter(version: string): string | undefined {
  const places = [
    `/usr/bin/python${version}`,
    ...globSync(join(homedir(), `.pyenv/versions/${version}.*/bin/python3`)),
    `python${version}`,
  ]
  return places.find(file => spawnSync(file, ['--version']).status === 0)
}

for (const version of ['3.10', '3.11']) {
  test(`its tests pass on Python ${version}`, context => {
    const python = interpreter(version)
    if (!python) return context.skip(`Python ${version} is not installed`)
    const args = ['-m', 'unittest', 'discover', '-s', 'kit-python/tests', '-t', 'kit-python']
    const { status, stderr } = spawnSync(python, args, { cwd: root, encoding: 'utf8' })
    // What failed is worth more than that something did.
    const failures = stderr.match(/^(ERROR|FAIL): .*/ms)?.[0] ?? ''
    expect([status, failures]).toEqual([0, ''])
    expect(stderr).toMatch(/^OK/m)
    expect(stderr).toMatch(/^Ran [1-9]\d* tests/m)
  })
}
