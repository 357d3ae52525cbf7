import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { runningOn, takeHome } from './home.ts'

const running = {
  pid: process.pid,
  address: '127.0.0.1',
  port: 8300,
  domain: 'localhost',
  started_at: '2026-01-01T00:00:00Z',
}

test('a home that is not there is created, for its owner alone', () => {
  const directory = join(temporaryDirectory(), 'a', 'home')
  takeHome(directory).release()
  expect(statSync(directory).mode & 0o777).toBe(0o700)
})

test('what runs is announced, and no longer when it has ended', () => {
  const directory = temporaryDirectory()
  const home = takeHome(directory)
  home.announce(running)
  expect(runningOn(directory)).toEqual(running)
  home.release()
  expect(runningOn(directory)).toBeUndefined()
})

/** Another process that takes the home and keeps it until it is killed. */
async function otherProcess(directory: string) {
  const script = `
    const { takeHome } = await import(${JSON.stringify(new URL('./home.ts', import.meta.url).href)})
    takeHome(${JSON.stringify(directory)}).announce({ ...${JSON.stringify(running)}, pid: process.pid })
    process.stdout.write('taken')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

test('a second process on one home is refused, and told who has it', async () => {
  const directory = temporaryDirectory()
  const other = await otherProcess(directory)
  expect(() => takeHome(directory)).toThrow(
    expect.objectContaining({
      code: 'home_in_use',
      message: `The home ${directory} is in use by another process (pid ${other.pid}, port 8300).`,
    }),
  )
})

test('a process that was killed leaves no lock behind, and no longer counts as running', async () => {
  const directory = temporaryDirectory()
  const other = await otherProcess(directory)
  other.kill('SIGKILL')
  await once(other, 'exit')
  expect(runningOn(directory)).toBeUndefined()
  takeHome(directory).release()
})

test('a home that cannot be a directory is refused by name', () => {
  const file = join(temporaryDirectory(), 'file')
  writeFileSync(file, '')
  expect(() => takeHome(file)).toThrow(
    expect.objectContaining({
      code: 'home_unusable',
      message: `The home ${file} cannot be used: it is a file, not a directory.`,
    }),
  )
  expect(() => takeHome(join(file, 'below'))).toThrow(/a part of the path is not a directory/)
})

test('a home without write access is refused by name', async context => {
  if (process.getuid?.() !== 0) context.skip('only root can become another user')
  const directory = join(temporaryDirectory(), 'closed')
  mkdirSync(directory, { mode: 0o555 })
  const script = `
    process.setegid(65534); process.seteuid(65534)
    const { takeHome } = await import(${JSON.stringify(new URL('./home.ts', import.meta.url).href)})
    try { takeHome(${JSON.stringify(directory)}) } catch (error) { process.stdout.write(error.code + ': ' + error.message) }`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', chunk => {
    said += chunk
  })
  await once(child, 'close')
  expect(said).toBe(`home_unusable: The home ${directory} cannot be used: permission denied.`)
})
