import { chmodSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { Interpreters } from './interpreter.ts'
import { path, recordingRun, writeFiles } from './under-test.ts'

/** A shim as pyenv has them: a script that leads to another Python. */
const shim = (directory: string, body: string, name = 'python3') => {
  writeFiles(directory, { [name]: `#!/bin/sh\n${body}\n` })
  chmodSync(join(directory, name), 0o755)
  return directory
}

const answer = (version: string) =>
  `echo '{"executable": "/bin/sh", "version": "${version}", "platform": "linux", "abi": "x"}'`

test('is asked once, and again when the file has changed', async () => {
  const directory = shim(temporaryDirectory(), answer('3.11.2'))
  const interpreters = new Interpreters({ PATH: directory })
  const { run, programs } = recordingRun()
  const found = { path: '/bin/sh', version: '3.11.2', platform: 'linux', abi: 'x' }
  expect(await interpreters.find(null, run)).toEqual(found)
  expect(await interpreters.find('python3', run)).toEqual(found)
  expect(programs).toHaveLength(1)
  shim(directory, answer('3.12.0'))
  utimesSync(join(directory, 'python3'), 1, 1)
  expect(await interpreters.find(null, run)).toMatchObject({ version: '3.12.0' })
  expect(programs).toHaveLength(2)
})

test('one that does not answer, or is no Python 3, is passed over for the next', async () => {
  const broken = shim(temporaryDirectory(), 'echo "pyenv: python3: command not found" >&2; exit 127')
  const old = shim(temporaryDirectory(), answer('2.7.18'))
  const nonsense = temporaryDirectory()
  writeFiles(nonsense, { python3: '#!/nowhere/at/all\n' })
  chmodSync(join(nonsense, 'python3'), 0o755)
  const good = shim(temporaryDirectory(), answer('3.9.1'))
  const all = [broken, old, nonsense]
  const { run } = recordingRun()
  const find = (directories: string[]) => new Interpreters({ PATH: directories.join(':') }).find(null, run)
  expect(await find([...all, good])).toMatchObject({ version: '3.9.1' })
  await expect(find(all)).rejects.toMatchObject({
    code: 'interpreter_missing',
    message: `${all.map(each => join(each, 'python3')).join(' and ')} did not answer as a Python 3.`,
  })
})

test.each([
  ['python3.99', 'The interpreter python3.99 is not on the PATH of the agent.'],
  ['/nowhere/python3', 'The interpreter /nowhere/python3 is no program with an absolute path.'],
  ['./bin/python', 'The interpreter ./bin/python is no program with an absolute path.'],
])('%s is missing, and the message says so', async (wanted, message) => {
  const found = new Interpreters({ PATH: path }).find(wanted, recordingRun().run)
  await expect(found).rejects.toMatchObject({ code: 'interpreter_missing', message })
})
