import { join } from 'node:path'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { commit, projectUnderTest } from '../../deploy/under-test.ts'
import { sqliteEngine } from '../../store/engines/sqlite/index.ts'
import { Store } from '../../store/index.ts'
import { controlUnderTest } from '../../under-test.ts'
import { telegramSettings, telegramUnderTest } from '../under-test.ts'

test('a rollback and a re-run by button are runs like any other, asked for by who pressed', async () => {
  const it = await controlUnderTest()
  const project = await projectUnderTest(it)
  const telegram = await telegramUnderTest()
  const body = { name: 'chat', settings: telegramSettings(telegram, { actions: true }) }
  expect((await it.ask('admin', '/api/channels', { method: 'POST', token: it.token, body })).status).toBe(201)
  const store = await Store.open(sqliteEngine(join(it.config.home, 'database.sqlite')))
  for (const n of [1, 2]) {
    const id = await project.pushed(commit(n))
    const row = { status: 'succeeded', sha: commit(n), ended_at: new Date().toISOString() }
    await store.write(transaction => transaction.updateTable('run').set(row).where('id', '=', id).execute())
  }
  const place = { port: null, variables: null, in_repository: null, units: '[]', updated_at: '' }
  const [sha, proven_sha] = [commit(2), commit(2)]
  await store.write(transaction =>
    transaction
      .insertInto('instance')
      .values({ project: 'hello', machine: 'local', sha, proven_sha, ...place })
      .execute(),
  )
  await store.close()
  const labels = { alertname: 'DeployFailed', job: 'hello', severity: 'critical' }
  await it.ask('admin', '/api/v2/alerts', { method: 'POST', from: '127.0.0.1', body: [{ labels }] })
  const message = await until('it is told', () => telegram.messages[0])
  const press = async (verb: string) => {
    const data = message.buttons.find(({ callback_data: data }) =>
      data?.startsWith(`${verb}:`),
    )?.callback_data
    const before = telegram.messages.length
    telegram.press(message, data!)
    const asked = await until('it asks again', () => telegram.messages[before])
    telegram.press(asked, asked.buttons[0]!.callback_data!)
    await until('it is accepted', () => telegram.messages[before + 1]?.text.includes('was accepted'))
    telegram.press(asked, asked.buttons[0]!.callback_data!)
    await until('twice is once', () => telegram.answered.at(-1)?.text.includes('There was a run since'))
    return (await project.runs())[0]
  }
  expect(await press('rollback')).toMatchObject({
    kind: 'rollback',
    ref: commit(1),
    trigger: { by: 'telegram:user42/42' },
  })
  expect(await press('rerun')).toMatchObject({ kind: 'rollback', ref: commit(1) })
  expect(await project.runs()).toHaveLength(4)
})
