import { type EmailSettings, emailSettings } from '@quarterdeck/contract'
import { until } from '@quarterdeck/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { email } from './email.ts'
import { channelSuite, noticeOf } from './suite.ts'
import { SmtpdUnderTest, smtpdMissing } from './under-test.ts'

const live = new AbortController().signal
let server: SmtpdUnderTest | undefined

beforeAll(async () => {
  if (!smtpdMissing()) server = await new SmtpdUnderTest().start('^grey@')
})
afterAll(() => server?.remove())
beforeEach(context => {
  const missing = smtpdMissing()
  if (missing) context.skip(missing)
})

const mail = (change: Partial<EmailSettings> = {}) =>
  email({
    ...emailSettings.parse({
      kind: 'email',
      host: '127.0.0.1',
      tls: 'none',
      from: 'qd@example.com',
      to: ['ops@example.com'],
    }),
    port: server!.port,
    ...change,
  })

/** What a mail says, whatever it was wrapped in for the way. */
const read = (text: string) =>
  Buffer.from(
    text
      .replace(/=\r?\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()

describe('by a real mail server', () => {
  channelSuite('email', async () => {
    const before = new Set(server!.mails())
    let refuses = false
    const channel = mail()
    return {
      channel: {
        ...channel,
        show: (ids, notice, ended) =>
          (refuses ? mail({ from: 'grey@example.com' }) : channel).show(ids, notice, ended),
      },
      async arrived(count) {
        const fresh = () => server!.mails().filter(text => !before.has(text))
        await until('it is delivered', () => fresh().length >= count)
        const texts = fresh().map(read)
        const isEnd = (text: string) => /^Subject:.*RESOLVED/im.test(text) || text.includes('Resolved after')
        return texts.toSorted((a, b) => Number(isEnd(a)) - Number(isEnd(b)))
      },
      fail: () => {
        refuses = true
      },
    }
  }, [
    'hello is down',
    'critical',
    '2026-03-02 09:15 UTC',
    'connect',
    '4f0c2ad1e9b7',
    'token:ci',
    'shop',
    'שלום',
  ])

  test('who is told to come back later does, and the mail arrives once', async () => {
    const grey = mail({ from: 'late@example.com' })
    const notice = noticeOf({ problemId: '019cadd4-11c0-7b10-9a44-000000000001' })
    await server!.stop()
    await server!.start('^late@')
    expect(await grey.show([], notice, live)).toMatchObject({
      what: 'again',
      problem: expect.stringContaining('451'),
    })
    await server!.stop()
    expect(await grey.show([], notice, live)).toMatchObject({
      what: 'again',
      problem: expect.stringContaining('cannot be reached'),
    })
    await server!.start()
    expect(await grey.show([], notice, live)).toMatchObject({ what: 'sent' })
    await until(
      'it is delivered',
      () => server!.mails().filter(text => text.includes(notice.problemId)).length === 1,
    )
  })

  test('of several recipients each gets the mail once, whoever is told to come back later or refused', async () => {
    const channel = mail({ to: ['ops@example.com', 'late@example.com', 'nobody-here@example.com'] })
    const notice = noticeOf({ problemId: '019cadd4-11c0-7b10-9a44-000000000002' })
    const delivered = () => server!.mails().filter(text => text.includes(notice.problemId))
    await server!.stop()
    await server!.start(undefined, '^late@')
    const first = await channel.show([], notice, live)
    expect(first).toMatchObject({
      what: 'again',
      problem: expect.stringMatching(/451.*late@example.com, nobody-here@example.com/),
    })
    await until('one has it', () => delivered().length === 1)
    const ids = first.what === 'again' ? first.ids! : []
    await server!.stop()
    await server!.start()
    const second = await channel.show(ids, notice, live)
    expect(second).toMatchObject({
      what: 'never',
      problem: expect.stringMatching(
        /5\d\d: it does not take mail to nobody-here@example.com; the others have it/,
      ),
    })
    await until('both have it', () => delivered().length === 2)
    // Another text is for all of them again.
    const over = noticeOf({ problemId: notice.problemId, telling: 'resolved', state: 'resolved', version: 2 })
    expect(await channel.show(ids, over, live)).toMatchObject({ what: 'never' })
    await until('both have that', () => delivered().length === 4)
  })

  test('a recipient that is refused, and a server without TLS where that is wanted, need somebody’s help', async () => {
    const refused = await mail({ to: ['who@elsewhere.org'] }).show([], noticeOf(), live)
    expect(refused).toMatchObject({ what: 'again', lasting: true, problem: expect.stringContaining('550') })
    const clear = await mail({ tls: 'starttls', user: 'u', password: 'sentinel' }).show([], noticeOf(), live)
    expect(clear).toMatchObject({ what: 'again', lasting: true })
    expect(JSON.stringify([refused, clear])).not.toContain('sentinel')
  })
})
