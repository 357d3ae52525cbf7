import { expect, test } from 'vitest'
import { installFault } from './pip-failure.ts'

const fault = (stderr: string, stdout = '', code: number | null = 1) =>
  installFault({ code, stdout, stderr, timedOut: false, cancelled: false }, 'The installation')

test.each([
  [
    'ERROR: Could not find a version that satisfies the requirement nosuchpkg==9 (from versions: none)\n' +
      'ERROR: No matching distribution found for nosuchpkg==9\n',
    'No matching distribution found for nosuchpkg==9 (requirements.txt)',
  ],
  [
    'ERROR: Cannot install -r requirements.txt (line 1) and b because these package versions have conflicting dependencies.\n' +
      'ERROR: ResolutionImpossible: for help visit https://pip.pypa.io\n',
    'Cannot install -r requirements.txt (line 1) and b because these package versions have conflicting dependencies',
  ],
  [
    "ERROR: Invalid requirement: 'a b' (from line 3 of requirements.txt)",
    "Invalid requirement: 'a b' (from line 3 of requirements.txt)",
  ],
  [
    "WARNING: Retrying … NewConnectionError('…')\nERROR: No matching distribution found for a\n",
    'No matching distribution found for a: the package index could not be reached (requirements.txt)',
  ],
  [
    'ERROR: Cannot fetch https://me:secret@index.test/a',
    'Cannot fetch https://index.test/a (requirements.txt)',
  ],
  [
    '/x/python: No module named ensurepip',
    'There is no pip on the machine that could install requirements.txt: add python3-pip or python3-venv.',
  ],
  ['something\nelse\n', 'else (requirements.txt)'],
  ['', 'The installation ended with exit code 1.'],
])('%j', (stderr, message) => {
  expect(fault(stderr)).toMatchObject({ code: 'install_failed', message })
})

test('a package whose build fails is named, with the last thing that its build said', () => {
  const stderr = `
  error: subprocess-exited-with-error

  × Preparing metadata (pyproject.toml) did not run successfully.
  │ exit code: 1
  ╰─> [1 lines of output]
      no compiler here
      [end of output]

error: metadata-generation-failed

× Encountered error while generating package metadata.
╰─> See above for output.
`
  expect(fault(stderr, 'Collecting a\nCollecting lxml==4\n').message).toBe(
    'lxml==4: Preparing metadata (pyproject.toml) did not run successfully: no compiler here (requirements.txt)',
  )
})

test('a full disk is told apart', () => {
  const stderr = 'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device'
  expect(fault(stderr).code).toBe('disk_full')
})

test('an installer that was killed did not say why', () => {
  expect(fault('', '', null)).toMatchObject({
    code: 'install_failed',
    message: expect.stringContaining('killed'),
  })
})
