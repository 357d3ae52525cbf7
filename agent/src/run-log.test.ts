import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RunLogLine } from '@quarterdeck/contract'
import { FakeClock, temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { RunLog } from './run-log.ts'

function logIn(file = join(temporaryDirectory(), 'run', 'log')) {
  const told: RunLogLine[][] = []
  const log = new RunLog({ file, clock: new FakeClock(), onLines: lines => told.push(lines) })
  return { log, told, file }
}

const textsOf = (lines: RunLogLine[]) => lines.map(({ text }) => text)

test('lines are numbered, belong to their step, and go out together', async () => {
  const { log, told } = logIn()
  log.enter('fetch')
  log.write('one')
  log.write('two')
  log.enter('install')
  log.write('three')
  await until('they are told', () => told.length > 0)
  expect(told).toHaveLength(1)
  expect(told[0]!.map(({ seq, step, text }) => `${seq} ${step} ${text}`)).toEqual([
    '1 fetch one',
    '2 fetch two',
    '3 install three',
  ])
})

test('of each step the first 2000 lines and the last 200 are kept, and it says how many are not', () => {
  const { log } = logIn()
  for (const step of ['install', 'verify'] as const) {
    log.enter(step)
    for (let number = 1; number <= 5000; number++) log.write(`${step} ${number}`)
  }
  log.close()
  const lines = log.after(0)
  expect(lines).toHaveLength(2 * 2201)
  expect(textsOf(lines.slice(1998, 2003))).toEqual([
    'install 1999',
    'install 2000',
    '… 2800 lines left out …',
    'install 4801',
    'install 4802',
  ])
  expect(lines.at(-1)).toMatchObject({ seq: 4402, step: 'verify', text: 'verify 5000' })
})

test('up to 2200 lines nothing is left out', () => {
  const { log } = logIn()
  for (let number = 1; number <= 2200; number++) log.write(`${number}`)
  log.close()
  expect(textsOf(log.after(0))).toEqual(Array.from({ length: 2200 }, (_, index) => `${index + 1}`))
})

test('the next agent goes on with the next number, also behind a line that was cut off', () => {
  const { log, file } = logIn()
  log.write('one')
  log.close()
  appendFileSync(file, '{"seq":2,"te')
  const next = logIn(file)
  next.log.write('two')
  next.log.write('three')
  next.log.close()
  expect(next.log.after(0).map(({ seq, text }) => `${seq} ${text}`)).toEqual(['1 one', '2 two', '3 three'])
  expect(textsOf(next.log.after(2))).toEqual(['three'])
})

test('control gets the lines also when the disk does not take them', () => {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'log'))
  const { log, told } = logIn(join(directory, 'log'))
  log.write('one')
  log.close()
  expect(told.flat()).toMatchObject([{ seq: 1, text: 'one' }])
})
