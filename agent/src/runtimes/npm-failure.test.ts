import { expect, test } from 'vitest'
import { npmFault } from './npm-failure.ts'

const fault = (stderr: string, code: number | null = 1) =>
  npmFault({ code, stdout: '', stderr, timedOut: false, cancelled: false })

const log = 'npm error A complete log of this run can be found in: /x/_logs/y.log\n'

test.each([
  [
    "npm error code E404\nnpm error 404 Not Found - GET https://me:secret@r.test/a - Not found\nnpm error 404\nnpm error 404  'a@1' is not in this registry.\n",
    'Not Found - GET https://r.test/a - Not found (package.json)',
  ],
  [
    'npm error code ETARGET\nnpm error notarget No matching version found for told@9.\nnpm error notarget In most cases you or one of your dependencies are requesting\n',
    'No matching version found for told@9 (package.json)',
  ],
  [
    'npm ERR! code ENOTFOUND\nnpm ERR! syscall getaddrinfo\nnpm ERR! errno ENOTFOUND\nnpm ERR! network request to https://r.test/a failed, reason: getaddrinfo ENOTFOUND r.test\nnpm ERR! network This is a problem related to network connectivity.\n',
    'request to https://r.test/a failed, reason: getaddrinfo ENOTFOUND r.test: the package registry could not be reached (package.json)',
  ],
  [
    'npm error code 1\nnpm error path /e/node_modules/@x/bad\nnpm error command failed\nnpm error command sh -c node-gyp rebuild\nnpm error gyp ERR! find Python\nnpm error gyp ERR! not ok\n',
    '@x/bad: its install script `node-gyp rebuild` failed: gyp ERR! not ok (package.json)',
  ],
  [
    'npm error code EUSAGE\nnpm error\nnpm error `npm ci` can only install packages when your package.json and package-lock.json or npm-shrinkwrap.json are in sync. Please update.\nnpm error\nnpm error Missing: a@1.0.0 from lock file\nnpm error Missing: b@1.0.0 from lock file\n',
    'package.json and the lock file are not in sync, run npm install and commit both: Missing: a@1.0.0 from lock file; Missing: b@1.0.0 from lock file',
  ],
  [
    'npm error code EBADENGINE\nnpm error engine Unsupported engine\nnpm error engine Not compatible with your version of node/npm: shop@1.0.0\n',
    'Unsupported engine (package.json)',
  ],
  ['', 'The installation of package.json ended with exit code 1.'],
])('%j', (stderr, message) => {
  expect(fault(stderr && stderr + log)).toMatchObject({ code: 'install_failed', message })
})

test('a full disk is told apart', () => {
  const stderr =
    'npm error code ENOSPC\nnpm error nospc There appears to be insufficient space on your system'
  expect(fault(stderr).code).toBe('disk_full')
})

test('a kill from outside is told as that', () => {
  expect(fault('', null).message).toMatch(/killed from outside/)
})
