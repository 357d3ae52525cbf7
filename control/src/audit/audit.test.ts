import { systemClock } from '@quarterdeck/kit'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { controlUnderTest } from '../under-test.ts'

test('who did what, from where and with which request is kept', async () => {
  const { ask, token } = await controlUnderTest()
  const { json } = await ask('admin', '/api/tokens', { method: 'POST', token, body: { label: 'Ana' } })
  const entries = async () =>
    (await ask('admin', `/api/audit?subject=token/${json.id}`, { token })).json.items
  await until('the audit has read it', async () => (await entries()).length === 1)
  expect((await entries())[0]).toMatchObject({
    by: expect.stringMatching(/^operator:operator\.token on /),
    from: '203.0.113.9',
    action: 'token.created',
    subject: `token/${json.id}`,
    request_id: 'test-request',
    data: { kind: 'operator', label: 'Ana' },
  })
})

test('each start is kept once, the newest first', async () => {
  const home = temporaryDirectory()
  for (let i = 0; i < 3; i++) {
    const { control } = await controlUnderTest({ home })
    await control.stop()
  }
  const { ask, token } = await controlUnderTest({ home }, systemClock)
  const starts = async () =>
    (await ask('admin', '/api/audit?by=system&limit=200', { token })).json.items.filter(
      (entry: { action: string }) => entry.action === 'control.started',
    )
  await until('all four', async () => (await starts()).length === 4)
  const times = (await starts()).map((entry: { at: string }) => entry.at)
  expect(times).toEqual([...times].sort().reverse())
})
