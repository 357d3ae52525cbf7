import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { statusDocument } from '@quarterdeck/contract'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { edgeUnderTest } from './under-test.ts'

test('while control is not there, the last status.json is told, and that nobody watches', async () => {
  const statusCopy = join(temporaryDirectory(), 'status.json')
  const { ask } = await edgeUnderTest({ statusCopy })
  expect((await ask('status.example.com', '/status.json')).status).toBe(503)
  writeFileSync(statusCopy, '{"half":')
  expect((await ask('status.example.com', '/status.json')).status).toBe(503)
  writeFileSync(statusCopy, JSON.stringify(statusDocument.example))
  const { status, headers, body } = await ask('status.example.com', '/status.json')
  expect([status, headers['x-quarterdeck-stale'], headers['cache-control']]).toEqual([
    200,
    'control',
    'no-store',
  ])
  expect(statusDocument.schema.parse(JSON.parse(body))).toMatchObject({
    generated_at: statusDocument.example.generated_at,
    status: { indicator: 'unknown' },
    observer: { ok: false },
    services: [{ id: 'hello' }, { id: 'database' }],
  })
  expect((await ask('status.example.com', '/')).status).toBe(503)
  expect((await ask('docs.example.com', '/status.json')).status).toBe(503)
})

test('once control is there, it answers itself', async () => {
  const statusCopy = join(temporaryDirectory(), 'status.json')
  writeFileSync(statusCopy, JSON.stringify(statusDocument.example))
  const { ask, edge } = await edgeUnderTest({ statusCopy })
  edge.serve([])
  expect((await ask('status.example.com', '/status.json')).status).toBe(404)
})
