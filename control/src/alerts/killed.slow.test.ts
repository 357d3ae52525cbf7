/** Whatever moment control is killed at, one message is there in the end, it ends, and its end is called for once. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { describe, expect, test } from 'vitest'
import type { Called } from './channels/telegram-under-test.ts'
import { telegramUnderTest } from './under-test.ts'

async function world() {
  const telegram = await telegramUnderTest()
  const home = temporaryDirectory()
  let pid = 0
  const live = async (over: boolean, dieAfter = 0) => {
    const engine = join(import.meta.dirname, '../store/engines/sqlite/index.ts')
    const order = {
      engine,
      home,
      apiUrl: telegram.url,
      token: telegram.token,
      chat: telegram.chat,
      over,
      dieAfter,
    }
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'killed-under-test.ts'), JSON.stringify(order)],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
    pid = child.pid!
    const [code, signal] = await once(child, 'exit')
    return signal === 'SIGKILL' ? 'killed' : code === 0 ? 'settled' : 'failed'
  }
  /** Firing, then over; killed once on the way, and started again. */
  const story = async (dieFiring: number, dieOver: number) => {
    const ends = [
      await live(false, dieFiring),
      await live(false),
      await live(true, dieOver),
      await live(true),
    ]
    return {
      ends,
      firsts: telegram.messages.filter(({ replyTo }) => replyTo === undefined),
      replies: telegram.messages.filter(({ replyTo }) => replyTo !== undefined),
    }
  }
  return { telegram, live, story, kill: () => process.kill(pid, 'SIGKILL') }
}

test.each([4, 5, 6, 7, 8])('after commit %i of its life', async commit => {
  const { story } = await world()
  const { ends, firsts, replies } = await story(commit, commit - 2)
  expect(ends[1]).toBe('settled')
  expect(ends[3]).toBe('settled')
  expect(firsts.map(({ text }) => text.split('\n')[0])).toEqual(['✅ RESOLVED · hello is down'])
  expect(replies).toHaveLength(1)
})

describe('while Telegram is asked', () => {
  const methods = ['sendMessage', 'editMessageText'] as const

  test.each(methods)('%s, and it has done nothing', async method => {
    const { telegram, live, kill } = await world()
    let isKilled = false
    telegram.trouble = (called: Called) => {
      if (isKilled || called.method !== method) return undefined
      isKilled = true
      kill()
      return 'hang'
    }
    for (const over of [false, true])
      if ((await live(over)) === 'killed') expect(await live(over)).toBe('settled')
    expect(isKilled).toBe(true)
    expect(telegram.messages.map(({ text }) => text.split('\n')[0])).toEqual([
      '✅ RESOLVED · hello is down',
      expect.stringMatching(/^✅ Resolved after/),
    ])
  })

  test.each(methods)('%s, and it has done it: what it lets us know is not done twice', async method => {
    const { telegram, live, kill } = await world()
    let isKilled = false
    telegram.trouble = (called: Called) => {
      if (isKilled || called.method !== method) return undefined
      isKilled = true
      setImmediate(kill)
      return 'drop'
    }
    for (const over of [false, true])
      if ((await live(over)) === 'killed') expect(await live(over)).toBe('settled')
    expect(isKilled).toBe(true)
    const ended = telegram.messages.filter(({ text }) => text.startsWith('✅ RESOLVED'))
    expect(ended).toHaveLength(1)
    // Nobody can ask Telegram what it has taken: a message whose answer was lost is sent again, rather than not at all.
    expect(telegram.messages).toHaveLength(method === 'sendMessage' ? 3 : 2)
    expect(ended[0]?.history).toHaveLength(2)
  })
})
