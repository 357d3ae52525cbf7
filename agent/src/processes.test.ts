import { randomUUID } from 'node:crypto'
import { copyFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import {
  bootId,
  endGroup,
  findTagged,
  groupMembers,
  listeningPorts,
  mayEnd,
  startTimeOf,
} from './processes.ts'
import { launch } from './runner.ts'

/** Starts a program that is ended with the test, whatever becomes of it. */
async function started(file: string, args: string[], tag = `test:${randomUUID()}`) {
  const directory = temporaryDirectory()
  const logFile = join(directory, 'log')
  const program = { file, args, cwd: directory, env: { PATH: process.env.PATH ?? '' } }
  const launched = await launch(program, { logFile, tag })
  onTestFinished(async () => {
    for (const { pgid } of findTagged(tag)) await endGroup(pgid, { graceMs: 0 })
  })
  const prints = (text: string) =>
    until(`it prints ${text}`, () => readFileSync(logFile, 'utf8').includes(text))
  return { ...launched, tag, logFile, prints }
}

const shell = (script: string) => started('/bin/sh', ['-c', script])

test('a start time belongs to one process, whatever its name', async () => {
  const odd = join(temporaryDirectory(), 'a ) S 1 (b')
  copyFileSync('/bin/sleep', odd)
  const { pid, exited } = await started(odd, ['1000'])
  const startTime = startTimeOf(pid)
  expect(startTime).toBeGreaterThanOrEqual(startTimeOf(process.pid)!)
  expect(startTimeOf(pid)).toBe(startTime)
  await endGroup(pid, { graceMs: 1000 })
  await exited
  expect(startTimeOf(pid)).toBeUndefined()
})

test('a zombie counts as gone', async () => {
  // The sleep is reparented to nobody who waits: exec keeps the shell's pid and its ended child.
  const { prints, pid, logFile } = await shell('/bin/sh -c "exit 0" & echo child $!; exec sleep 1000')
  await prints('child')
  const child = Number(/child (\d+)/.exec(readFileSync(logFile, 'utf8'))?.[1])
  await until('the child has ended', () => startTimeOf(child) === undefined)
  expect(readFileSync(`/proc/${child}/stat`, 'utf8')).toContain(' Z ')
  expect(groupMembers(pid)).toEqual([pid])
})

test('the boot has an id', () => {
  expect(bootId()).toMatch(/^[0-9a-f-]{36}:\d+$/)
})

test('processes are found by their tag, with all that they started', async () => {
  const { pid, tag } = await shell('sleep 1000 & sleep 1000')
  await until('three processes', () => findTagged(tag).length === 3)
  expect(findTagged(tag).every(found => found.pgid === pid && found.tag === tag)).toBe(true)
  expect(findTagged(`${tag}x`)).toEqual([])
  expect(groupMembers(pid)).toHaveLength(3)
})

test('a group that does not heed SIGTERM is killed, children and other groups of its session too', async () => {
  // Bash, because other shells give jobs a group of their own only at a terminal.
  const script = 'set -m; trap "" TERM; sleep 1000 & echo ready; while :; do sleep 0.05; done'
  const { pid, prints, exited, tag } = await started('bash', ['-c', script])
  await prints('ready')
  expect(new Set(findTagged(tag).map(({ pgid }) => pgid)).size).toBeGreaterThan(1)
  await endGroup(pid, { graceMs: 100 })
  expect(await exited).toEqual({ code: null, signal: 'SIGKILL' })
  expect(findTagged(tag)).toEqual([])
})

test('a group that heeds SIGTERM may end in its own time', async () => {
  const { pid, prints, exited } = await shell('trap "exit 7" TERM; echo ready; while :; do sleep 0.02; done')
  await prints('ready')
  await endGroup(pid, { graceMs: 5000 })
  expect(await exited).toEqual({ code: 7, signal: null })
})

test('neither the system nor ourselves can be ended', async () => {
  const own = Number(readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ')[2])
  for (const pgid of [-1, 0, 1, own, Number.NaN]) {
    expect(mayEnd(pgid)).toBe(false)
    await expect(endGroup(pgid, { graceMs: 0 })).rejects.toThrow(RangeError)
  }
})

test('a group’s ports are told with their addresses, and nobody else’s', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  // A machine may have no IPv6: the script tells where it could listen.
  const script = `
    const { createServer } = require('node:net')
    const listen = address => new Promise(resolve => {
      const server = createServer().on('error', () => resolve([]))
      server.listen(0, address, () => resolve([{ address, port: server.address().port }]))
    })
    Promise.all(['127.0.0.1', '0.0.0.0', '::1', '::'].map(listen)).then(all => console.log(JSON.stringify(all.flat())))
  `
  const { pid, prints, logFile } = await started(process.execPath, ['-e', script])
  await prints('\n')
  const expected = JSON.parse(readFileSync(logFile, 'utf8'))
  expect(expected.length).toBeGreaterThanOrEqual(2)
  const found = listeningPorts(pid)
  expect(found).toHaveLength(expected.length)
  expect(found).toEqual(expect.arrayContaining(expected))
})
