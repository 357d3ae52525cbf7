import { rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { HostsFile } from './hosts-file.ts'

test('names are found whatever their case, with all their addresses, and again after a change', async () => {
  const path = join(temporaryDirectory(), 'hosts')
  writeFileSync(
    path,
    '# ours\n192.0.2.1 db.internal DB # the store\n::1\tdb.internal\nnonsense db.internal\n',
  )
  const hosts = new HostsFile(path)
  expect(await hosts.find('DB.Internal')).toEqual(['192.0.2.1', '::1'])
  expect(await hosts.find('db')).toEqual(['192.0.2.1'])
  expect(await hosts.find('store')).toEqual([])
  writeFileSync(path, '192.0.2.2 db')
  utimesSync(path, 1, 1)
  expect(await hosts.find('db')).toEqual(['192.0.2.2'])
  rmSync(path)
  expect(await hosts.find('db')).toEqual([])
})
