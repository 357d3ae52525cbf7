import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { memoryLog, temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { Published } from '../http/index.ts'
import { StatusCopy } from './copy.ts'

const published = (text: string) => new Published(text, { type: 'text/plain', cacheControl: 'no-store' })

test('the copy is replaced as a whole; a full disk leaves the one before, and is told once', async () => {
  const home = temporaryDirectory()
  const { log, lines } = memoryLog()
  const copy = new StatusCopy(home, log)
  const file = join(home, 'status.json')
  await copy.write(published('one'))
  expect(readFileSync(file, 'utf8')).toBe('one')
  const full = () => symlinkSync('/dev/full', `${file}.new`)
  full()
  await copy.write(published('two'))
  expect(readFileSync(file, 'utf8')).toBe('one')
  expect(existsSync(`${file}.new`)).toBe(false)
  full()
  await copy.write(published('three'))
  expect(lines).toMatchObject([{ err: { code: 'ENOSPC' } }])
  await copy.write(published('four'))
  expect(readFileSync(file, 'utf8')).toBe('four')
})
