import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fault, sealed, sealOf } from '@quarterdeck/contract'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { root } from '../root.ts'
import { qd } from '../under-test.ts'
import { configText } from './configuration.ts'
import { launcherText } from './launcher.ts'
import { refuseUnlessServer } from './preflight.ts'
import { placeProblem, rightsProblem } from './safe-place.ts'
import { carryOut, type Outcome, type Step, undoing } from './step.ts'
import { misfitOf, parseUser } from './users.ts'
import { writeWhole } from './whole-file.ts'

/** Steps that make and remove words in a set. */
function wordSteps(done: Set<string>, words: readonly string[]): Step[] {
  return words.map(word => ({
    what: `say ${word}`,
    isDone: () => done.has(word),
    do: () => void done.add(word),
    undo: { what: `unsay ${word}`, isDone: () => !done.has(word), do: () => void done.delete(word) },
  }))
}

const statesOf = (outcomes: readonly Outcome[]) => outcomes.map(({ state }) => state)
const quietly = { dryRun: false, onOutcome: () => undefined }

test('steps are done once, told in order, and undone from the last to the first', async () => {
  const done = new Set(['b'])
  const steps = wordSteps(done, ['a', 'b', 'c'])
  const told: string[] = []
  const tell = (outcome: Outcome) => void told.push(`${outcome.what}: ${outcome.state}`)
  await carryOut(steps, { dryRun: true, onOutcome: tell })
  expect([told, [...done]]).toEqual([['say a: to do', 'say b: there', 'say c: to do'], ['b']])
  expect(statesOf(await carryOut(steps, quietly))).toEqual(['done', 'there', 'done'])
  expect(statesOf(await carryOut(steps, quietly))).toEqual(['there', 'there', 'there'])
  const undone = await carryOut(undoing(steps), quietly)
  expect([undone.map(({ what }) => what), done.size]).toEqual([['unsay c', 'unsay b', 'unsay a'], 0])
})

test('a step that fails is named, and those after it are left', async () => {
  const done = new Set<string>()
  const broken: Step = {
    what: 'make it',
    isDone: () => false,
    do: () => Promise.reject(new Error('disk full')),
  }
  const failed = carryOut([broken, ...wordSteps(done, ['a'])], quietly)
  await expect(failed).rejects.toThrow('Could not make it: disk full.')
  expect(done.size).toBe(0)
})

test.each([
  ['quarterdeck:x:997:997::/var/lib/quarterdeck/control:/usr/sbin/nologin', undefined],
  ['quarterdeck:x:997:997::/:/bin/false', undefined],
  ['quarterdeck:x:997:997::/:/bin/bash', 'The user quarterdeck is there and can log in (shell /bin/bash).'],
  ['quarterdeck:x:997:997::/:', 'The user quarterdeck is there and can log in (shell /bin/sh).'],
  [
    'quarterdeck:x:1000:1000::/:/usr/sbin/nologin',
    'The user quarterdeck is there and is no system user (uid 1000).',
  ],
  ['quarterdeck:x:0:0::/:/usr/sbin/nologin', 'The user quarterdeck is root by its uid.'],
])('a user that is there: %s', (line, misfit) => {
  expect(misfitOf(parseUser(line))).toBe(misfit)
})

test.each(['/home/ann/quarterdeck', '/root/quarterdeck', '/tmp/x', '/var/tmp/x'])(
  'code in %s is refused',
  path => {
    expect(placeProblem(path)).toContain('lies below')
  },
)

test('code is refused where a launcher could not name it, and where others can change it', () => {
  expect(placeProblem('/opt/my deck')).toContain('characters that a launcher cannot hold')
  const stat = (uid: number, gid: number, mode: number) => ({ uid, gid, mode, isSymbolicLink: () => false })
  expect(rightsProblem('/opt/x', stat(0, 0, 0o100755))).toBeUndefined()
  expect(rightsProblem('/opt/x', stat(0, 0, 0o100775))).toBeUndefined()
  expect(rightsProblem('/opt/x', stat(0, 50, 0o100775))).toBe('/opt/x can be written by others than root.')
  expect(rightsProblem('/opt/x', stat(0, 0, 0o100757))).toBe('/opt/x can be written by others than root.')
  expect(rightsProblem('/opt/x', stat(1000, 0, 0o100755))).toBe('/opt/x is not root’s (uid 1000).')
  expect(rightsProblem('/opt/x', stat(0, 0, 0o100750))).toContain('cannot be read by others')
})

test('only root on a machine with systemd installs', () => {
  expect(() => refuseUnlessServer('install', { uid: 1000, hasSystemd: true })).toThrow('sudo qd install')
  expect(() => refuseUnlessServer('install', { uid: 0, hasSystemd: false })).toThrow('does not run systemd')
  expect(() => refuseUnlessServer('install', { uid: 0, hasSystemd: true })).not.toThrow()
  expect(new Fault('not_installable', '').entry.family).toBe('refused')
})

test('where it cannot be installed, the command says so and nothing else', async context => {
  if (process.getuid?.() === 0 && existsSync('/run/systemd/system')) context.skip('this is a server')
  for (const verb of ['install', 'uninstall']) {
    const { code, stdout } = await qd(verb, '--json')
    expect([code, JSON.parse(stdout).error.code]).toEqual([3, 'not_installable'])
  }
})

test('a seal tells ours from others and from edited, also that of the agent’s units', () => {
  const text = sealed('[Service]\n', 'Leave it.')
  expect([text, text.replace('S', 's'), '[Service]\n'].map(sealOf)).toEqual(['whole', 'edited', 'foreign'])
  const units = globSync('agent/src/units/golden/*/qd-*', { cwd: root })
  expect(units.length).toBeGreaterThan(3)
  for (const file of units) expect(sealOf(readFileSync(join(root, file), 'utf8'))).toBe('whole')
})

test('the launcher and the configuration are few lines', () => {
  expect(launcherText({ root: '/opt/quarterdeck', node: '/opt/node', sha: '' })).toBe(
    '#!/opt/node\n// Generated by Quarterdeck (qd install).\nimport("/opt/quarterdeck/cli/bin/quarterdeck.mjs")\n',
  )
  expect(configText({ domain: 'example.com', port: 80 })).toMatch(
    /\ndomain: example.com\nlisten:\n {2}port: 80\n$/,
  )
})

test('a file is written whole and with its mode, not through a link', context => {
  if (process.getuid?.() !== 0) context.skip('giving files away needs root')
  const directory = join(temporaryDirectory(), 'etc')
  mkdirSync(directory)
  const file = join(directory, 'file')
  writeFileSync(file, 'old')
  chmodSync(file, 0o600)
  writeWhole(file, 'new', { mode: 0o644 })
  expect([readFileSync(file, 'utf8'), globSync(`${directory}/*`)]).toEqual(['new', [file]])
})
