import { expect, test, vi } from 'vitest'
import { createLog, type Level } from './log.ts'

/** What the log writes to standard output. */
function written(
  forPeople: boolean,
  use: (log: ReturnType<typeof createLog>) => void,
  level: Level = 'info',
): string {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    use(createLog(level, forPeople))
    return write.mock.calls.map(([text]) => text).join('')
  } finally {
    write.mockRestore()
  }
}

const token = `qd_operator_${'a'.repeat(43)}`

test.each([true, false])('secrets are masked, for people and for programs (%s)', forPeople => {
  const text = written(forPeople, log => {
    log.info(
      { headers: { authorization: `Bearer ${token}` }, url: 'postgresql://qd:geheim@db/x' },
      `made ${token}`,
    )
    log.error({ err: new Error(`no ${token}`) }, 'failed')
  })
  expect(text).not.toContain('aaaa')
  expect(text).not.toContain('geheim')
  expect(text).toContain('made qd_operator_***')
})

test('for programs each line is a JSON object with level, time and message', () => {
  const text = written(false, log => log.warn({ port: 1 }, 'careful'))
  expect(JSON.parse(text)).toEqual({
    level: 'warn',
    time: expect.stringMatching(/Z$/),
    port: 1,
    msg: 'careful',
  })
})

test('for people a line is short, and a stack follows its error', () => {
  const text = written(true, log => {
    log.info({ port: 8300 }, 'ready')
    log.error({ err: new Error('broken') }, 'failed')
  })
  expect(text).toMatch(
    /^\d\d:\d\d:\d\d info {2}ready port=8300\n\d\d:\d\d:\d\d error failed\nError: broken\n {4}at /,
  )
})

test('what is below the level is not written', () => {
  expect(written(false, log => log.debug('quiet'))).toBe('')
})

test('on a terminal a request that went well is shown only to whoever asks for everything', () => {
  const requests = (log: ReturnType<typeof createLog>) => {
    log.info({ status: 200 }, 'request')
    log.info({ status: 404 }, 'request')
  }
  expect(written(true, requests)).toMatch(/^\S+ info {2}request status=404\n$/)
  for (const all of [written(true, requests, 'debug'), written(false, requests)]) {
    expect(all.trim().split('\n')).toHaveLength(2)
  }
})
