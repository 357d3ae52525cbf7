import { expect, test } from 'vitest'
import { tempProject } from './temp-project.ts'

const passing = {
  'node_modules/.bin/tsc': '',
  'node_modules/.bin/biome': '',
  'scripts/generate.ts': '',
}

test('all checks run, each with its time, and what the documents and commits checks saw', async () => {
  const { code, stdout } = await checkProject(passing)
  expect(stdout).toMatch(/^ok +types +[\d.]+ s$/m)
  expect(stdout).toMatch(/^ok +documents +[\d.]+ s +Files: 0$/m)
  expect(stdout).toMatch(/^ok +commit messages +[\d.]+ s +Not checked: this is no Git checkout\.$/m)
  expect(stdout).toMatch(/All checks passed\.\n$/)
  expect(code).toBe(0)
})

test('a failed check shows its output and does not keep the others from running', async () => {
  const { code, stdout } = await checkProject({
    ...passing,
    'node_modules/.bin/tsc': "process.stdout.write('a.ts(1,1): error\\n'); process.exitCode = 2",
    'package-lock.json': '{\n  "resolved": "https://registry.example.com/a.tgz"\n}',
  })
  expect(stdout).toMatch(/^failed +types .*\na\.ts\(1,1\): error$/m)
  expect(stdout).toMatch(/^failed +lockfile .*\npackage-lock\.json holds download addresses \(1\)/m)
  expect(stdout).toMatch(/^ok +commit messages/m)
  expect(stdout).toMatch(/Failed: types; lockfile\.\n$/)
  expect(code).toBe(1)
})

async function checkProject(files: Record<string, string>) {
  const project = tempProject()
  project.write(files)
  return await project.run('check')
}
