import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { type Entry, lastOf, openJournal, readJournal } from './journal.ts'

const moving = (to: string): Entry => ({ entry: 'moving', from: null, to })

test('what is written is read again, in order', async () => {
  const file = join(temporaryDirectory(), 'run', 'journal')
  const journal = await openJournal(file)
  await journal.write({ entry: 'preparing' })
  await journal.write(moving('a'))
  await journal.write(moving('b'))
  await journal.close()
  expect(readJournal(file)).toEqual(journal.entries)
  expect(lastOf(journal, 'moving')).toEqual(moving('b'))
  expect(lastOf(journal, 'verified')).toBeUndefined()
})

test('at every length that a crash can leave, the whole entries count and the next one is not swallowed', async () => {
  const directory = temporaryDirectory()
  const whole = `${JSON.stringify({ entry: 'preparing' })}\n${JSON.stringify(moving('a'))}\n`
  for (let length = 0; length <= whole.length; length++) {
    const file = join(directory, String(length))
    writeFileSync(file, whole.slice(0, length))
    const before = readJournal(file)
    const journal = await openJournal(file)
    await journal.write({ entry: 'prepared' })
    await journal.close()
    expect(readJournal(file)).toEqual([...before, { entry: 'prepared' }])
  }
})

test('a write that the disk takes half of does not swallow the next one', async context => {
  if (!existsSync('/usr/bin/prlimit')) return context.skip('prlimit is not installed (Debian: util-linux)')
  const file = join(temporaryDirectory(), 'journal')
  const journal = await openJournal(file)
  await journal.write({ entry: 'preparing' })
  limitFiles(40)
  await expect(journal.write(moving('a'.repeat(40))).finally(() => limitFiles('unlimited'))).rejects.toThrow()
  expect(statSync(file).size).toBe(40)
  await journal.write({ entry: 'prepared' })
  await journal.close()
  expect(readJournal(file)).toEqual([{ entry: 'preparing' }, { entry: 'prepared' }])
  expect(journal.entries).toEqual(readJournal(file))
})

test('a journal that is not there is empty', () => {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'run'))
  expect(readJournal(join(directory, 'run', 'journal'))).toEqual([])
})

/** As large as a file of this process may grow. */
function limitFiles(bytes: number | 'unlimited'): void {
  execFileSync('/usr/bin/prlimit', [`--pid=${process.pid}`, `--fsize=${bytes}:unlimited`])
}
