import { expect, test } from 'vitest'
import { isDebianLike, planSystemPackages, type SystemPackage } from './system-packages.mjs'

const promtool: SystemPackage = {
  name: 'promtool',
  isThere: () => false,
  debian: ['prometheus'],
  usedFor: 'tests of the metrics format',
}
const rootOnDebian = { missing: [promtool], mayInstall: true, isRoot: true, isDebian: true, hasApt: true }

test('root on Debian gets what is missing', () => {
  expect(planSystemPackages(rootOnDebian)).toEqual({ install: [promtool], say: [] })
})

test('nothing missing: nothing to install and nothing to say', () => {
  expect(planSystemPackages({ ...rootOnDebian, missing: [] })).toEqual({ install: [], say: [] })
  expect(planSystemPackages({ ...rootOnDebian, missing: [], isRoot: false })).toEqual({
    install: [],
    say: [],
  })
})

test.each([
  ['--no-install', { mayInstall: false }, 'To get it: apt-get install prometheus.'],
  ['another user', { isRoot: false }, 'To get it: sudo apt-get install prometheus.'],
  ['another system', { isDebian: false }, 'Install it with the package manager of this system.'],
  ['no apt-get', { hasApt: false }, 'Install it with the package manager of this system.'],
])('%s: nothing is installed, and it is said what is skipped and how to get it', (_case, facts, way) => {
  expect(planSystemPackages({ ...rootOnDebian, ...facts })).toEqual({
    install: [],
    say: [`promtool is not installed: tests of the metrics format are skipped. ${way}`],
  })
})

test.each([
  ['ID=debian\n', true],
  ['NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n', true],
  ['ID=linuxmint\nID_LIKE="ubuntu debian"\n', true],
  ['ID=fedora\nHOME_URL="https://debian.example"\n', false],
  ['', false],
])('os-release %j is Debian: %s', (text, expected) => {
  expect(isDebianLike(text)).toBe(expected)
})
