import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withoutServiceStarts } from './policy-rc.mjs'
import { tempFolder } from './temp-project.ts'

test('services may not start during the work, and the policy is gone afterwards', async () => {
  const file = join(tempFolder(), 'policy-rc.d')
  const seen = await withoutServiceStarts(
    async () => [readFileSync(file, 'utf8'), statSync(file).mode & 0o777],
    file,
  )
  expect(seen).toEqual([expect.stringMatching(/^#!\/bin\/sh\n(.*\n)*exit 101\n$/), 0o755])
  expect(existsSync(file)).toBe(false)
})

test('the policy is gone after work that failed, too', async () => {
  const file = join(tempFolder(), 'policy-rc.d')
  const work = withoutServiceStarts(() => Promise.reject(new Error('no space left')), file)
  await expect(work).rejects.toThrow('no space left')
  expect(existsSync(file)).toBe(false)
})

test('a policy that the machine has stays, one that a killed run left goes', async () => {
  const file = join(tempFolder(), 'policy-rc.d')
  const left = await withoutServiceStarts(async () => readFileSync(file, 'utf8'), file)
  writeFileSync(file, '#!/bin/sh\nexit 0\n')
  await withoutServiceStarts(async () => {}, file)
  expect(readFileSync(file, 'utf8')).toBe('#!/bin/sh\nexit 0\n')
  writeFileSync(file, left)
  await withoutServiceStarts(async () => {}, file)
  expect(existsSync(file)).toBe(false)
})
