import { join } from 'node:path'
import { Fault } from '@quarterdeck/contract'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { sqliteEngine } from '../../store/engines/sqlite/index.ts'
import type { Called } from '../channels/telegram-under-test.ts'
import {
  alertsUnderTest,
  down,
  telegramSettings,
  telegramUnderTest,
  type UnderTestOptions,
} from '../under-test.ts'

async function chatting(
  more: Parameters<typeof telegramSettings>[1] = {},
  deploys: UnderTestOptions['deploys'] = {},
  routes: { projects?: string[] } = {},
) {
  const it = await alertsUnderTest({
    engine: sqliteEngine(join(temporaryDirectory(), 'database.sqlite')),
    deploys,
  })
  const telegram = await telegramUnderTest()
  const channel = await it.channel('on-call', telegramSettings(telegram, more), routes)
  it.world.contexts.hello = {
    group: null,
    runbook: 'https://docs.example.com/hello',
    page: null,
    deploy: { sha: 'a'.repeat(40), by: 'token:ci', at: '2026-03-02T08:00:00Z', runId: 'r' },
  }
  const audited = async (type: string) => (await it.events.after(0)).filter(event => event.type === type)
  const answers = () => telegram.answered.map(({ text }) => text)
  const button = (verb: string) => {
    const message = telegram.messages.findLast(({ buttons }) =>
      buttons.some(({ callback_data: data }) => data?.startsWith(verb)),
    )
    return {
      message: message!,
      data: message!.buttons.find(({ callback_data: data }) => data?.startsWith(verb))!.callback_data!,
    }
  }
  return { ...it, add: it.channel, telegram, channel, audited, answers, button }
}

test('one presses acknowledge: the message says so; pressed by another it does nothing, and is in the audit', async () => {
  const { telegram, report, settled, advance, audited, answers, button, open } = await chatting()
  await report(down())
  await settled()
  expect(telegram.messages[0]?.buttons.map(({ text }) => text)).toEqual([
    '👀 Acknowledge',
    '🔇 Silence 1 h',
    '📖 Runbook',
  ])
  const { message, data } = button('ack')
  telegram.press(message, data, 666)
  await until('it is refused', () => answers()[0]?.includes('not on the list'))
  expect((await open()).items[0]?.acknowledged).toBeNull()
  expect((await audited('chat.refused'))[0]).toMatchObject({
    by: 'telegram:user666/666',
    data: { user: '666' },
  })
  // Told twice, as Telegram does when it does not know that it arrived.
  telegram.press(message, data, 42, 2)
  await until('it is acknowledged', () => answers()[1]?.includes('Acknowledged'))
  advance(2000)
  await settled()
  expect(message.text).toMatch(/^👀 ACKNOWLEDGED · hello is down/)
  expect(message.text).toContain('Acknowledged: by telegram:user42\n')
  expect(message.buttons.map(({ text }) => text)).not.toContain('👀 Acknowledge')
  expect(await audited('alert.acknowledged')).toHaveLength(1)
})

test('one presses silence twice as fast as Telegram answers: there is one silence, for an hour', async () => {
  const { telegram, report, settled, audited, answers, button } = await chatting()
  await report(down())
  await settled()
  const { message, data } = button('silence')
  telegram.press(message, data, 42, 3)
  await until('it is silenced', () => answers().length > 0)
  await settled()
  expect(message.text).toMatch(/^🔇 SILENCED/)
  expect((await audited('silence.created')).map(event => event.data)).toEqual([
    expect.objectContaining({
      matchers: ['job="hello"', 'alertname="ServiceDown"'],
      ends_at: '2026-03-02T10:00:00.000Z',
    }),
  ])
})

test('rollback is offered only where it is switched on, asks again, and not for ever', async () => {
  const rolled: string[] = []
  const rollback = async (_transaction: unknown, { by }: { by: string }, project: string) => {
    if (rolled.length > 0) throw new Fault('nothing_earlier', 'No earlier commit of hello was deployed.')
    rolled.push(`${project} by ${by}`)
    return { url: 'http://admin.localhost:8300/runs/1', afterwards: () => undefined }
  }
  const plain = await chatting()
  await plain.report(down())
  await plain.settled()
  expect(plain.telegram.messages[0]?.buttons.map(({ text }) => text)).not.toContain('⏪ Roll back')
  const problem = plain.button('ack').data.slice(4)
  plain.telegram.press(plain.telegram.messages[0]!, `rollback!:${problem}:${Date.now().toString(36)}`)
  await until('it is refused', () => plain.answers()[0]?.includes('switched off'))

  const { telegram, report, settled, answers, button, clock } = await chatting(
    { actions: true },
    { rollback },
  )
  await report(down())
  await settled()
  const first = button('rollback')
  telegram.press(first.message, first.data)
  await until('it asks', () => telegram.messages.length === 2)
  expect(rolled).toEqual([])
  const second = button('rollback!')
  clock.advance(121_000)
  telegram.press(second.message, second.data)
  await until('too late', () => answers()[1]?.includes('Too late'))
  expect(rolled).toEqual([])
  clock.advance(-121_000)
  telegram.press(second.message, second.data)
  await until('it is done', () => rolled.length === 1)
  expect(rolled).toEqual(['hello by telegram:user42/42'])
  telegram.press(second.message, second.data)
  await until('it says why not', () => answers().at(-1)?.includes('No earlier commit'))
})

test('commands tell how things are, and silence; strangers and other chats hear nothing', async () => {
  const { telegram, report, settled, audited } = await chatting()
  await report(down())
  await settled()
  const said = async (text: string, user?: number, chat?: string) => {
    const before = telegram.messages.length
    telegram.say(text, user, chat)
    if (user === undefined) await until(text, () => telegram.messages.length > before)
    return telegram.messages.at(-1)?.text
  }
  const status = await said('/status')
  expect(status).toContain('Open problems: 1 critical')
  expect(status).toContain('hello is down\n• hello: Nothing takes the connection.')
  expect(await said('/alerts@our_bot')).toContain('• critical hello is down, for 0 s')
  expect(await said('/deploys')).toBe('Nothing was deployed yet.')
  expect(await said('/silence job=hello')).toContain('Use it like this')
  expect(await said('/silence job=~( 1h')).toContain('expression of RE2')
  const before = telegram.messages.length
  await said('/silence job=hello 1h', 666)
  await said('/alerts', 42, '77')
  expect(await said('/silence job=hello severity!=info 2h <b>disk</b>')).toContain(
    'until 2026-03-02 11:00 UTC: job="hello"',
  )
  expect(telegram.messages).toHaveLength(before + 1)
  expect(await audited('chat.refused')).toHaveLength(1)
})

test('in the chat of a project only its own alerts and runs are listed', async () => {
  const asked: (readonly string[])[] = []
  const last = async (_transaction: unknown, projects: readonly string[]) => {
    asked.push(projects)
    return []
  }
  const { telegram, report, settled } = await chatting({}, { last }, { projects: ['hello'] })
  await report(down('hello'), down('other'))
  await settled()
  telegram.say('/alerts')
  await until('it is answered', () => telegram.messages.at(-1)?.text.startsWith('•'))
  expect(telegram.messages.at(-1)?.text).toBe('• critical hello is down, for 0 s')
  telegram.say('/deploys')
  await until('it is answered', () => telegram.messages.at(-1)?.text === 'Nothing was deployed yet.')
  expect(asked).toEqual([['hello']])
})

test('after a quiet week Telegram numbers anew, and buttons work on', async () => {
  const { telegram, report, settled, answers, button, open } = await chatting()
  telegram.numberFrom(900_000_000)
  await report(down())
  await settled()
  const silence = button('silence')
  telegram.press(silence.message, silence.data)
  await until('it is silenced', () => answers().length === 1)
  const isQuiet = ({ method, payload }: Called) => method === 'getUpdates' && payload.offset === undefined
  await until('nothing is left to confirm', () => isQuiet(telegram.calls.at(-1)!))
  telegram.numberFrom(3000)
  const { message, data } = button('ack')
  telegram.press(message, data)
  await until('it is acknowledged', () => answers()[1]?.includes('Acknowledged'))
  expect((await open()).items[0]?.acknowledged).not.toBeNull()
})

test('a webhook that was set before is taken back where updates are asked for', async () => {
  const { telegram } = await chatting()
  telegram.webhook = { url: 'https://elsewhere.example.com', secret_token: '' }
  telegram.say('/help')
  await until('it is answered', () => telegram.messages.some(({ text }) => text.includes('/silence')))
  expect(telegram.webhook).toBeUndefined()
})

test('a bot has one webhook for all of its chats', async () => {
  const { telegram, channel: first, chats, audited, add } = await chatting({ updates: 'webhook' })
  await add('second', telegramSettings(telegram, { updates: 'webhook', chat_id: '-77' }))
  await until('it is set', () => telegram.webhook?.max_connections === 1)
  await chats.receive(first.id, {
    update_id: 7,
    message: { message_id: 1, chat: { id: -77 }, from: { id: 42 }, text: '/silence job=hello 1h' },
  })
  expect(await audited('silence.created')).toHaveLength(1)
})

test('what a button bears counts only where that problem was told, and a chat silences what it is for', async () => {
  const { telegram, report, settled, answers, button, open, audited, add } = await chatting()
  await add('shop', telegramSettings(telegram, { chat_id: '-77' }), { projects: ['shop'] })
  await report(down())
  await settled()
  const { message, data } = button('ack')
  telegram.press({ ...message, chat: '-77' }, data)
  await until('it is refused', () => answers()[0]?.includes('not known here'))
  expect((await open()).items[0]?.acknowledged).toBeNull()
  telegram.say('/silence job=hello 1h', 42, '-77')
  telegram.say('/silence job=shop 1h', 42, '-77')
  await until('one of them is', async () => (await audited('silence.created')).length > 0)
  expect((await audited('silence.created')).map(event => event.data.matchers)).toEqual([['job="shop"']])
})
