import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { memoryLog, temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { newRecord } from './known-unit.ts'
import { Records } from './records.ts'
import { sampleUnit } from './under-test.ts'
import { unitRecord } from './unit-record.ts'

test('a record is read back as it was written, and half a write is not seen', () => {
  const home = temporaryDirectory()
  const directory = join(home, 'units')
  const { log } = memoryLog()
  const records = new Records(directory, unitRecord, log)
  const record = newRecord(sampleUnit(home, { script: 'exit', timer: { every_s: 60 } }))
  records.write(record)
  records.write({ ...record, attempt: 'second' })
  writeFileSync(join(directory, 'hello.web.json.new'), '{"attempt": "th')
  expect(new Records(directory, unitRecord, log).readAll()).toEqual([{ ...record, attempt: 'second' }])
  records.write({ ...record, attempt: 'fourth' })
  expect(readdirSync(directory)).toEqual(['hello.web.json'])
  records.remove(record)
  expect(records.readAll()).toEqual([])
})
