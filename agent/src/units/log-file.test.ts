import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { LogFile } from './log-file.ts'

function logWith(text: string | Buffer, maxBytes = 1000) {
  const path = join(temporaryDirectory(), 'web.log')
  writeFileSync(path, text)
  return { path, log: new LogFile(path, maxBytes) }
}

test('the last lines are given, and where to go on', () => {
  const { log, path } = logWith('one\ntwo\nthree\n')
  expect(log.read(null, 2, true)).toEqual({ lines: ['two', 'three'], next: 14 })
  expect(log.read(null, 0, true)).toEqual({ lines: [], next: 14 })
  appendFileSync(path, 'four\nfive\nsix\n')
  expect(log.read(14, 2, true)).toEqual({ lines: ['four', 'five'], next: 24 })
  expect(log.read(24, 2, true)).toEqual({ lines: ['six'], next: 28 })
  expect(log.read(28, 2, true)).toEqual({ lines: [], next: 28 })
})

test('a line is given when it is whole, or when nobody is left to end it', () => {
  const { log } = logWith('one\nhal')
  expect(log.read(null, 9, true)).toEqual({ lines: ['one'], next: 4 })
  expect(log.read(4, 9, true)).toEqual({ lines: [], next: 4 })
  expect(log.read(4, 9, false)).toEqual({ lines: ['hal'], next: 7 })
  expect(log.read(null, 9, false)).toEqual({ lines: ['one', 'hal'], next: 7 })
})

test('who follows gets on in a line that never ends, and misses no byte of a long log', () => {
  const endless = logWith('x'.repeat(3 * 1024 * 1024)).log
  expect(endless.read(0, 1, true).next).toBe(1024 * 1024)
  expect(endless.read(null, 1, true).next).toBe(3 * 1024 * 1024)
  const numbered = Array.from({ length: 300_000 }, (_, index) => `line ${index}`)
  const { log } = logWith(`${numbered.join('\n')}\n`)
  const read: string[] = []
  for (let next = 0, more = true; more; more = read.length < numbered.length) {
    const answer = log.read(next, 100_000, false)
    read.push(...answer.lines)
    next = answer.next
  }
  expect(read).toEqual(numbered)
})

test('a place behind the end means that the log was emptied: it begins again', () => {
  expect(logWith('new\n').log.read(5000, 9, true)).toEqual({ lines: ['new'], next: 4 })
})

test('a log that does not exist is empty', () => {
  const log = new LogFile(join(temporaryDirectory(), 'none.log'), 1000)
  log.bound()
  log.endLine()
  expect(log.read(null, 10, false)).toEqual({ lines: [], next: 0 })
  expect(log.read(7, 10, true)).toEqual({ lines: [], next: 0 })
})

test('over its limit its end goes to .1 in whole lines, and the last lines are still told', () => {
  const numbered = Array.from({ length: 500 }, (_, index) => `line ${index}`)
  const { log, path } = logWith(`${numbered.join('\n')}\n`)
  log.bound()
  expect(statSync(path).size).toBe(0)
  const earlier = readFileSync(`${path}.1`, 'utf8')
  expect(earlier.length).toBeLessThanOrEqual(1000)
  expect(earlier).toMatch(/^line \d+\n/)
  appendFileSync(path, 'after\n')
  expect(log.read(null, 3, true)).toEqual({ lines: ['line 498', 'line 499', 'after'], next: 6 })
  log.remove()
  expect([existsSync(path), existsSync(`${path}.1`)]).toEqual([false, false])
})

test('the next process begins on a new line', () => {
  const { log, path } = logWith('last words')
  log.endLine()
  log.endLine()
  expect(readFileSync(path, 'utf8')).toBe('last words\n')
})

test('hostile bytes are made harmless', () => {
  const { log } = logWith(Buffer.from('a\xff\x1b[2Jb\0\nqd_join_0123456789\n', 'latin1'))
  expect(log.read(null, 9, false).lines).toEqual(['a\ufffdb␀', 'qd_join_***'])
})
