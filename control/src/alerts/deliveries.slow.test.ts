import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { bySystem } from '#http'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import {
  alertsUnderTest,
  down,
  serviceUnderTest,
  telegramSettings,
  telegramUnderTest,
  watched,
} from './under-test.ts'

const engine = () => sqliteEngine(join(temporaryDirectory(), 'database.sqlite'))

/** A channel whose service answers when it is told to, and one that answers at once. */
async function slowAndQuick() {
  const it = await alertsUnderTest({ engine: engine() })
  const [slow, quick] = [await serviceUnderTest(), await serviceUnderTest()]
  const answered = Promise.withResolvers<[number]>()
  slow.answer = () => answered.promise
  const { id } = await it.channel('slow', { kind: 'slack', url: slow.url })
  await it.channel('quick', { kind: 'slack', url: quick.url })
  return { ...it, id, slow, quick, answer: (status: number) => answered.resolve([status]) }
}

test('a slow service gets each message once, however long it takes', async () => {
  const { report, advance, slow, quick, answer, settled } = await slowAndQuick()
  await report(down())
  await until('both are asked', () => slow.received.length === 1 && quick.received.length === 1)
  // Longer than any lease.
  advance(600_000)
  await report(down('other'))
  await until('what is due is sent', () => quick.received.length === 2)
  expect(slow.received).toHaveLength(1)
  answer(200)
  await until('the slow one hears the rest', () => slow.received.length === 2)
  await settled()
  expect(slow.received).toHaveLength(2)
})

test('a channel that is removed while it is asked does not fail afterwards', async () => {
  const { report, slow, answer, store, alerts, id, stop, open, log } = await slowAndQuick()
  await report(down())
  await until('it is asked', () => slow.received.length === 1)
  await store.write(async transaction =>
    alerts.channelChanged(transaction, await alerts.channels.remove(transaction, bySystem, id)),
  )
  answer(404)
  await stop()
  expect(log.text()).not.toContain('a channel fails')
  expect((await open()).items.map(({ labels }) => labels.alertname)).toEqual(['ServiceDown'])
})

test('what was sent while the store could not be written to is not sent again', async () => {
  const file = join(temporaryDirectory(), 'database.sqlite')
  const it = await alertsUnderTest({ engine: sqliteEngine(file) })
  const service = await serviceUnderTest()
  const { id } = await it.channel('on-call', { kind: 'slack', url: service.url })
  const other = new DatabaseSync(file)
  onTestFinished(() => other.close())
  service.answer = () => {
    if (!other.isTransaction) other.exec('BEGIN IMMEDIATE')
    return [200]
  }
  await it.report(down())
  await until('it could not be noted', () => it.log.text().includes('could not be noted'), 30_000)
  service.answer = () => [200]
  other.exec('ROLLBACK')
  const shown = () => it.store.read(transaction => it.alerts.channels.read(transaction, id))
  await until('it is noted', async () => (await shown()).last_sent_at !== null)
  await it.settled()
  expect(service.received).toHaveLength(1)
})

test('asked to stop between the parts of a message, it goes on with the others in its next life', async () => {
  const [file, home] = [join(temporaryDirectory(), 'database.sqlite'), temporaryDirectory()]
  const first = await watched(sqliteEngine(file), { home })
  const { telegram } = first
  telegram.trouble = ({ method }) =>
    method === 'sendMessage' && telegram.messages.length === 1 ? 'hang' : undefined
  const many = Array.from({ length: 20 }, (_, n) =>
    down('hello', { labels: { instance: `${n}` }, annotations: { description: 'd'.repeat(390) } }),
  )
  await first.report(...many)
  await until('the second part is under way', () => telegram.calls.length === 2)
  await first.stop()
  telegram.trouble = () => undefined
  const second = await alertsUnderTest({ engine: sqliteEngine(file), home, clock: first.clock })
  await until('all parts are there', () => telegram.messages.length >= 3)
  await second.settled()
  const bullets = telegram.messages.flatMap(({ text }) =>
    text.split('\n').filter(line => line.startsWith('•')),
  )
  expect(new Set(bullets).size).toBe(20)
  expect(bullets).toHaveLength(20)
})

test('however long Telegram asks to be left alone, it is asked again within the hour', async () => {
  const { report, advance, ...it } = await alertsUnderTest({ engine: engine() })
  const telegram = await telegramUnderTest()
  await it.channel('on-call', telegramSettings(telegram, { updates: 'none' }))
  const parameters = { retry_after: 1e15 }
  telegram.trouble = () => ({ code: 429, description: 'Too Many Requests', parameters })
  await report(down())
  await until('it was refused', () => telegram.calls.length === 1)
  await it.settled()
  telegram.trouble = () => undefined
  advance(3_600_000)
  await until('it is sent', () => telegram.messages.length === 1)
})
