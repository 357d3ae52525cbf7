import { join } from 'node:path'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { keepPulse } from './pulse.ts'
import { byAna, serviceUnderTest, watched } from './under-test.ts'

test('a job that falls silent is an alert; its next sign of life ends it; a clock that is set alarms nobody', async () => {
  const { alerts, store, advance, settled, texts, clock, log } = await watched(
    sqliteEngine(join(temporaryDirectory(), 'database.sqlite')),
  )
  const beat = () => store.write(transaction => alerts.heartbeats.beat(transaction, 'backup'))
  await store.write(transaction =>
    alerts.heartbeats.set(transaction, byAna, 'backup', { every_s: 60, grace_s: 10, severity: 'critical' }),
  )
  await beat()
  advance(69_000)
  await settled()
  clock.jump(3_600_000)
  alerts.wake()
  await until('it is noticed', () => log.text().includes('the clock was set'))
  await settled()
  expect(texts()).toEqual([])
  advance(70_000)
  await until('it is told', () => texts().length === 1)
  expect(texts()).toEqual(['🔴 CRITICAL · backup gives no sign of life'])
  await beat()
  await settled()
  expect(texts()[0]).toMatch(/^✅ RESOLVED/)
})

test('the own heartbeat is sent for as long as alerts are kept, and what goes wrong with it is logged without its address', async () => {
  const service = await serviceUnderTest()
  const { log } = await watched(sqliteEngine(join(temporaryDirectory(), 'database.sqlite')), { still: true })
  const lines: string[] = []
  const ended = new AbortController()
  let isWell = true
  const noting = {
    ...log.log,
    warn: (data: object, text: string) => lines.push(JSON.stringify(data) + text),
    info: () => 0,
  }
  const pulse = keepPulse(
    { url: service.url, everyMs: 20, log: noting as never, isWell: () => isWell },
    ended.signal,
  )
  await until('it beats', () => service.received.length > 2)
  service.answer = () => [500]
  await until('it is noted', () => lines.length === 1)
  isWell = false
  ended.abort()
  await pulse
  expect(lines.join()).toContain('answered 500')
  expect(lines.join()).not.toContain('sentinel')
})
