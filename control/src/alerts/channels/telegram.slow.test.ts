import { join } from 'node:path'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { describe, expect, test } from 'vitest'
import { bySystem } from '#http'
import { sqliteEngine } from '../../store/engines/sqlite/index.ts'
import { alertsUnderTest, down, telegramSettings, telegramUnderTest } from '../under-test.ts'
import type { Called, Trouble } from './telegram-under-test.ts'

async function chatted() {
  const it = await alertsUnderTest({ engine: sqliteEngine(join(temporaryDirectory(), 'database.sqlite')) })
  const telegram = await telegramUnderTest()
  const channel = await it.channel('on-call', telegramSettings(telegram, { updates: 'none' }))
  const shown = () => it.store.read(transaction => it.alerts.channels.read(transaction, channel.id))
  const sends = () => telegram.calls.filter(({ method }) => method === 'sendMessage').length
  return { ...it, telegram, channel, shown, sends }
}

/** The next calls go wrong in these ways. */
const inTurn =
  (...troubles: (Trouble | undefined)[]) =>
  () =>
    troubles.shift()

test('it waits as long as Telegram asks for, and sends then, once', async () => {
  const { telegram, report, settled, advance, sends, shown } = await chatted()
  telegram.trouble = inTurn({
    code: 429,
    description: 'Too Many Requests: retry after 17',
    parameters: { retry_after: 17 },
  })
  await report(down())
  await until('it was tried', () => sends() === 1)
  await until('it was noted', async () => (await shown()).problem !== null)
  advance(16_000)
  await settled()
  expect(sends()).toBe(1)
  advance(1000)
  await settled()
  expect(telegram.messages).toHaveLength(1)
  expect(await shown()).toMatchObject({ problem: null, waiting: 0 })
})

test('5xx, a page of a proxy and a broken connection are tried again, longer after longer; then another channel hears of it', async () => {
  const { telegram, report, advance, sends, shown, store, alerts } = await chatted()
  const other = await telegramUnderTest()
  await store.write(transaction =>
    alerts.channels.create(transaction, bySystem, {
      name: 'second',
      routes: { groups: [], projects: ['nothing'], severities: [] },
      settings: telegramSettings(other, { updates: 'none' }),
    }),
  )
  telegram.trouble = inTurn({ code: 502, description: 'Bad Gateway' }, 'html', 'html')
  await report(down())
  for (const [tries, pauseMs] of [
    [1, 1000],
    [2, 2000],
    [3, 4000],
  ] as const) {
    await until(`try ${tries}`, async () => sends() === tries && (await shown()).problem !== null)
    await until('it rests', () =>
      store.read(async transaction => {
        const row = await transaction
          .selectFrom('channel')
          .selectAll()
          .where('name', '=', 'on-call')
          .executeTakeFirst()
        return row?.tries === tries && row.leased_until === null
      }),
    )
    if (tries === 3)
      await until('the other hears of it', () =>
        other.messages[0]?.text.includes('do not reach the channel on-call'),
      )
    advance(pauseMs)
  }
  await until('it was sent', () => telegram.messages.length === 1)
  await until('the other hears that it is over', () => other.messages[0]?.text.startsWith('✅'))
  expect(other.messages[0]?.text).toContain('Telegram answered 502')
})

describe('what needs somebody’s help is told at once, by name', () => {
  test.each([
    [{ code: 401, description: 'Unauthorized' }, 'token is wrong or was revoked'],
    [{ code: 403, description: 'Forbidden: bot was blocked by the user' }, 'blocked or removed'],
    [{ code: 400, description: 'Bad Request: chat not found' }, 'cannot write to the chat'],
  ] as const)('%o', async (trouble, problem) => {
    const { telegram, report, shown, log, alerts, store, channel } = await chatted()
    telegram.trouble = () => trouble
    await report(down())
    await until('it is noted', async () => (await shown()).problem?.includes(problem))
    await until('it is an alert', () => log.text().includes('a channel fails'))
    expect(log.text()).not.toContain('sentinel')
    expect(JSON.stringify(await shown())).not.toContain('sentinel')
    // A new token: what waits is sent at once.
    telegram.trouble = () => undefined
    await store.write(async transaction => {
      const settings = telegramSettings(telegram, { updates: 'none' })
      const routes = { groups: [], projects: [], severities: [] }
      await alerts.channels.replace(transaction, bySystem, channel.id, { name: 'on-call', routes, settings })
      await alerts.channelChanged(transaction, channel)
    })
    await until('it was sent', () => telegram.messages.length === 1)
  })
})

test('a message that can no longer be changed is written anew when somebody is to be called, and only then', async () => {
  const { telegram, report, over, settled, advance, sends } = await chatted()
  await report(down(), down('hello', { labels: { instance: 'b' } }))
  await settled()
  telegram.trouble = ({ method }: Called) =>
    method === 'editMessageText'
      ? { code: 400, description: "Bad Request: message can't be edited" }
      : undefined
  await over(down('hello', { labels: { instance: 'b' } }))
  advance(2000)
  await settled()
  expect(sends()).toBe(1)
  await over(down())
  await settled()
  expect(telegram.messages.map(({ text }) => text.split('\n')[0])).toEqual([
    '🔴 CRITICAL · hello is down (2 alerts)',
    '✅ RESOLVED · hello is down',
  ])
})

test('a change that was made before is no mistake, and a chat that became a supergroup is followed', async () => {
  const { telegram, report, over, settled } = await chatted()
  const notModified = {
    code: 400,
    description: 'Bad Request: message is not modified: specified new message content…',
  }
  const migrated = {
    code: 400,
    description: 'Bad Request: group chat was upgraded to a supergroup chat',
    parameters: { migrate_to_chat_id: Number(telegram.chat) },
  }
  telegram.trouble = inTurn(migrated)
  await report(down())
  await settled()
  expect(telegram.messages).toHaveLength(1)
  telegram.trouble = ({ method }: Called) => (method === 'editMessageText' ? notModified : undefined)
  await over(down())
  await settled()
  expect(telegram.messages.map(({ text }) => text)[1]).toMatch(/^✅ Resolved/)
})

test('hostile labels neither break the markup nor the message, and a long one is split between alerts', async () => {
  const { telegram, report, settled } = await chatted()
  const hostile = [
    '<b>bold</b><script>',
    '*_[x](http://evil)`',
    '&amp;&lt;"\'',
    '\u202etxet\u200b',
    'x'.repeat(65_536),
  ]
  await report(
    ...Array.from({ length: 60 }, (_, index) =>
      down('hello', {
        labels: { instance: `${index} ${hostile[index % hostile.length]}` },
        annotations: { summary: hostile[index % hostile.length]!, description: 'd'.repeat(500) },
      }),
    ),
  )
  await settled()
  expect(telegram.messages.length).toBeGreaterThan(1)
  const text = telegram.messages.map(message => message.text).join('\n')
  expect(text).toContain('<b>bold</b><script>')
  expect(text).toContain('… and 30 more')
  expect(text).not.toMatch(/[\u202e\u200b]/)
  const bullets = text.split('\n').filter(line => line.startsWith('•'))
  expect(bullets).toHaveLength(31)
  for (const { replyTo } of telegram.messages.slice(1)) expect(replyTo).toBe(telegram.messages[0]?.id)
})
