/** A secret is planted through the API and used in every way there is; then it is looked for in all that was written. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { Store } from '#store'
import { commit, projectUnderTest } from '../deploy/under-test.ts'
import { AgentUnderTest } from '../fleet/under-test.ts'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { dataTables } from '../store/tables.ts'
import { type Asking, controlUnderTest } from '../under-test.ts'

const sentinel = 'zX9-sentinel-"$(id)`\\'
/** As it is, in JSON, in an address, as base64, and as part of a longer word. */
const looks = [
  'zX9-sentinel',
  Buffer.from(sentinel).toString('base64'),
  Buffer.from(sentinel).toString('hex'),
  encodeURIComponent(sentinel),
]

test('a secret is in no table, no file, no log and no answer', async () => {
  const under = await controlUnderTest()
  const { token, log, config } = under
  const project = await projectUnderTest(under)
  const agent = new AgentUnderTest(link => under.control.attach(link)).connect()
  const answers: string[] = []
  const ask = async (path: string, asking: Asking = {}) => {
    const reply = await under.ask('admin', path, { token, ...asking })
    answers.push(reply.text)
    return reply
  }
  const path = '/api/projects/hello/variables'
  const patch = (body: unknown, headers = {}) => ask(path, { method: 'PATCH', body, headers })
  const set = (value: unknown, rest = {}) => ({ set: { KEY: { value, secret: true } }, ...rest })

  const keyed = { 'idempotency-key': 'k' }
  for (let i = 0; i < 2; i++) expect((await patch(set(sentinel), keyed)).status).toBe(200)
  const refused = [
    await patch(set(`${sentinel}\0`)),
    await patch(set(sentinel.repeat(3000))),
    await patch(set([sentinel])),
    await patch(set(sentinel, { unset: ['KEY'] })),
    await patch(set(sentinel, { revision: 9 })),
    await patch({ set: { KEY: sentinel } }),
    await patch(set('other'), keyed),
    await patch(`{"set":{"KEY":{"value":"${sentinel}"`),
  ]
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422, 409, 422, 422, 400])

  agent.onOrder = ({ order }) =>
    agent.end(order.id, {}, { kind: order.kind, sha: order.ref, ref_sha: order.ref })
  await project.is(await project.pushed(commit(1)), 'succeeded')
  await patch(set(`${sentinel}-2`))
  await ask('/api/projects/hello/restart', { method: 'POST' })
  await ask(`${path}/restore`, { method: 'POST', body: { revision: 1, secrets: true } })
  const back = await ask('/api/projects/hello/rollback', {
    ...{ method: 'POST', body: { to: commit(1), secrets: true } },
  })
  await project.is(back.json.id, 'succeeded')
  for (const each of [
    path,
    `${path}/revisions`,
    '/api/projects/hello',
    '/api/audit',
    `/api/runs/${back.json.id}`,
  ])
    await ask(each)
  // It did reach the machine.
  const sent = JSON.stringify(agent.heard)
  expect(sent).toContain(JSON.stringify(sentinel))
  await until('the audit has it', async () => (await ask('/api/audit')).text.includes('variables.changed'))

  for (const look of looks) {
    for (const text of [...answers, log.text()]) expect(text).not.toContain(look)
    for (const [name, text] of filesIn(config.home))
      expect([name, text.includes(look)]).toEqual([name, false])
  }
  const store = Store.attach(sqliteEngine(join(config.home, 'database.sqlite')))
  const rows = await store.read(async transaction => {
    const all = []
    for (const table of dataTables) all.push(...(await transaction.selectFrom(table).selectAll().execute()))
    return JSON.stringify(all)
  })
  await store.close()
  expect(rows).toContain('variables.changed')
  for (const look of looks) expect(rows).not.toContain(look)
})

const filesIn = (home: string): [string, Buffer][] =>
  readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter(name => statSync(join(home, name)).isFile())
    .map(name => [name, readFileSync(join(home, name))])
